import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { OUTBOX_HEADERS, OUTBOX_TABLE } from '@kontoport/events';
import { USAGE_TABLE } from '@kontoport/service';

const root = join(import.meta.dirname, '../../..');
const services = globSync('services/*/prisma/schema.prisma', { cwd: root }).map(dirname).toSorted();

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
});
