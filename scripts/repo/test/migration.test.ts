import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { OUTBOX_HEADERS, OUTBOX_TABLE } from '@kontoport/events';
import { USAGE_TABLE } from '@kontoport/service';

const root = join(import.meta.dirname, '../../..');
const services = globSync('services/*/prisma/schema.prisma', { cwd: root }).map(dirname).toSorted();

/** Up to it all tables were empty, as `.squawk.toml` states. */
const LAST_ON_EMPTY_TABLES = '20261123040000';

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const migrations = (prismaDir: string): string[] =>
  globSync('migrations/*/migration.sql', { cwd: join(root, prismaDir) })
    .map(dirname)
    .toSorted();

describe('the migrations of a service', () => {
  it.each(services)('%s: they lead to the present schema', (prismaDir) => {
    expect(read(prismaDir, 'migrated.prisma')).toBe(read(prismaDir, 'schema.prisma'));
  });

  it.each(services)('%s: an outbox is the table that the relay reads', (prismaDir) => {
    const sql = migrations(prismaDir)
      .map((name) => read(prismaDir, name, 'migration.sql'))
      .join('\n');
    const tables = sql.match(/CREATE TABLE "?outbox"?[^;]*;\n?/g) ?? [];
    expect(tables).toEqual(tables.map(() => OUTBOX_TABLE));
    expect(sql.match(/ALTER TABLE "?outbox"?[^;]*;\n?/g) ?? []).toEqual(tables.map(() => OUTBOX_HEADERS));
  });

  it.each(services)(
    '%s: replicas add up the requests of callers in the table that is for it',
    (prismaDir) => {
      const sql = migrations(prismaDir).map((name) => read(prismaDir, name, 'migration.sql'));
      expect(sql.filter((text) => text.includes('request_usage'))).toEqual([USAGE_TABLE]);
    },
  );
});

/** The statements that write or lock a whole table, also those in a function or after WITH. */
function wholeTableStatements(sql: string): string[] {
  const statements = sql.replaceAll(/--.*|\/\*[^]*?\*\//g, '').split(/;|\\x3b/);
  return statements.filter(
    (statement) =>
      /\b(TRUNCATE|LOCK)\b/i.test(statement) ||
      (/(?<!\b(?:ON|BEFORE|AFTER|OR|FOR|DO)\s+)\b(UPDATE|DELETE)\b/i.test(statement) &&
        !/\bWHERE\b/i.test(statement)),
  );
}

describe('the check of migrations', () => {
  const squawk = (file: string) =>
    spawnSync(join(root, 'node_modules/.bin/squawk'), ['--config', join(root, '.squawk.toml'), file], {
      cwd: root,
      encoding: 'utf8',
    });

  it.each([
    ['ban-drop-column', 'ALTER TABLE account DROP COLUMN a;'],
    ['constraint-missing-not-valid', 'ALTER TABLE account ADD CONSTRAINT a CHECK (b > 0);'],
    ['adding-required-field', 'ALTER TABLE account ADD COLUMN a bigint NOT NULL;'],
    ['require-concurrent-index-creation', 'CREATE INDEX a ON account (b);'],
  ])('refuses a planted violation of %s', (rule, sql) => {
    const folder = mkdtempSync(join(tmpdir(), 'kontoport-migration-'));
    try {
      const file = join(folder, 'migration.sql');
      writeFileSync(file, sql);
      const { status, stdout } = squawk(file);
      expect([status, stdout]).toEqual([1, expect.stringContaining(rule)]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(services)('%s: no migration writes or locks a whole table, which squawk does not report', (dir) => {
    const checked = migrations(dir).filter((name) => basename(name) > LAST_ON_EMPTY_TABLES);
    expect(checked.flatMap((name) => wholeTableStatements(read(dir, name, 'migration.sql')))).toEqual([]);
  });

  it.each([
    'UPDATE a SET b = 1',
    'delete from a',
    'WITH c AS (DELETE FROM a RETURNING b) INSERT INTO d SELECT b FROM c',
    'TRUNCATE a',
    'LOCK TABLE a IN EXCLUSIVE MODE',
  ])('refuses the whole table in %s', (sql) => {
    expect(wholeTableStatements(`CREATE TABLE a (b int);\n${sql};`)).toEqual([`\n${sql}`]);
  });

  it.each([
    'UPDATE a SET b = 1 WHERE c > 2',
    'CREATE TRIGGER a BEFORE INSERT OR UPDATE ON b FOR EACH ROW EXECUTE FUNCTION c()',
    'ALTER TABLE a ADD CONSTRAINT b FOREIGN KEY (c) REFERENCES d(e) ON DELETE CASCADE ON UPDATE CASCADE NOT VALID',
    'CREATE TABLE a (b int) -- TRUNCATE a',
  ])('accepts %s', (sql) => {
    expect(wholeTableStatements(sql)).toEqual([]);
  });
});
