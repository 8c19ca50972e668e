import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OUTBOX_HEADERS, OUTBOX_TABLE } from '@kontoport/events';
import { USAGE_TABLE } from '@kontoport/service';
import { holdsIn } from '../migration-holds.ts';

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

/** Nothing was released before: whoever installs that applies it to tables that are empty. */
const FIRST_RELEASE = '20261123040000';
/** Migrations that hold others up all the same, and why they may. */
const MAY: Readonly<Record<string, string>> = {
  '20261126181651_sandbox_banks':
    'the three tables have a few rows for each client of a sandbox, and none in production; the function is replaced at once',
  '20261126145906_record_version':
    'a sequence and a function hold nobody up; a trigger waits for writers, is made at once, and sets a column that only this version reads',
};

describe('a migration beside the version before it', () => {
  const later = services.flatMap((prismaDir) =>
    migrations(prismaDir)
      .map((path) => ({ prismaDir, path, name: basename(path) }))
      .filter(({ name }) => name > FIRST_RELEASE && MAY[name] === undefined),
  );

  it('holds nobody up, and takes nothing away that is in use', () => {
    const held = later.flatMap(({ prismaDir, path, name }) =>
      holdsIn(read(prismaDir, path, 'migration.sql')).map((hold) => `${name}: ${hold}`),
    );
    expect(held).toEqual([]);
  });

  it('has no exception for one that is not there', () => {
    const names = new Set(
      services.flatMap((prismaDir) => migrations(prismaDir).map((path) => basename(path))),
    );
    expect(Object.keys(MAY).filter((name) => !names.has(name))).toEqual([]);
  });

  it.each([
    ['ALTER TABLE "account" ADD CONSTRAINT "a" CHECK (octet_length(bban) > 4)', /NOT VALID/],
    ['ALTER TABLE account DROP CONSTRAINT a, ADD CONSTRAINT b CHECK (c IN (1, 2))', /NOT VALID/],
    ['ALTER TABLE account ADD CONSTRAINT a FOREIGN KEY (b) REFERENCES c (d)', /NOT VALID/],
    ['ALTER TABLE account ADD UNIQUE (a)', /builds an index/],
    ['CREATE UNIQUE INDEX a ON "account" (b)', /nobody write/],
    ['-- why\nCREATE INDEX\n  a ON account (b)', /nobody write/],
    ['ALTER TABLE outbox ALTER COLUMN headers TYPE json', /rewrites/],
    ['ALTER TABLE account ALTER a SET NOT NULL', /SET NOT NULL reads/],
    ['ALTER TABLE account ADD COLUMN a int, DROP COLUMN b', /a release later/],
    ['ALTER TABLE account RENAME COLUMN a TO b', /a release later/],
    ['DROP INDEX "a"', /a release later/],
    ['DROP TABLE a', /a release later/],
    ['CREATE TABLE b (c int); DROP TABLE b, a', /a release later/],
    ['DROP TABLE a; CREATE TABLE a (b int)', /a release later/],
    ['CREATE TABLE IF NOT EXISTS a (b int); ALTER TABLE a ALTER b TYPE text', /rewrites/],
    ['DROP SEQUENCE a', /a release later/],
    ['ALTER TABLE "public"."account" DROP COLUMN "a"', /a release later/],
    ['ALTER TABLE account ADD CHECK (a > 0), ADD CHECK (b IN (1, 2)) NOT VALID', /NOT VALID/],
    ['ALTER TABLE account ADD COLUMN "a" INTEGER NOT NULL', /DEFAULT/],
    ['ALTER TABLE account ADD a int NOT NULL, ADD b int DEFAULT 1', /DEFAULT/],
    ['ALTER TABLE account ADD COLUMN a int UNIQUE', /builds an index/],
    ['ALTER TABLE account ADD COLUMN a int REFERENCES b (c)', /a new column reads/],
    ['ALTER TABLE account ADD COLUMN a int CHECK(a > 0) DEFAULT 1', /a new column reads/],
    ['ALTER TABLE other.account DROP COLUMN a', /nobody has said/],
    ['ALTER TABLE account ADD COLUMN a uuid NOT NULL DEFAULT gen_random_uuid()', /rewrites/],
    ['ALTER TABLE account ADD COLUMN a int GENERATED ALWAYS AS (b + 1) STORED', /rewrites/],
    ['ALTER TABLE account ADD COLUMN a bigserial', /rewrites/],
    ['ALTER TABLE account SET TABLESPACE a', /nobody has said/],
    ["DO $$ BEGIN EXECUTE 'DROP TABLE a' END $$", /nobody has said/],
    ['/* why; how */ TRUNCATE account', /nobody has said/],
    ['LOCK TABLE account', /nobody has said/],
    ['REINDEX TABLE account', /nobody has said/],
    ['UPDATE account SET a = 1', /every row/],
    ['DELETE FROM account', /every row/],
    [
      'ALTER TABLE account ADD CONSTRAINT a CHECK (b > 0) NOT VALID; ALTER TABLE account VALIDATE CONSTRAINT a',
      /in the next one/,
    ],
  ])('is refused: %s', (sql, why) => {
    expect(holdsIn(sql)).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    'ALTER TABLE account ADD COLUMN a int NOT NULL DEFAULT 0',
    'ALTER TABLE account ADD CONSTRAINT a CHECK (b > 0) NOT VALID',
    'ALTER TABLE account VALIDATE CONSTRAINT a',
    'ALTER TABLE account DROP CONSTRAINT a, ALTER COLUMN b DROP DEFAULT',
    'CREATE TABLE "a" (b int PRIMARY KEY); CREATE INDEX c ON "a" (b); ALTER TABLE "a" ADD CONSTRAINT d CHECK (b > 0)',
    "ALTER TABLE account ADD COLUMN a timestamptz DEFAULT now(), ADD COLUMN serial text DEFAULT 'a, DROP b (c)'",
    'ALTER TABLE account ADD COLUMN check_at numeric(4, 2), ALTER COLUMN type SET DEFAULT 1',
    'CREATE UNLOGGED TABLE a (b int); CREATE TABLE c (d int REFERENCES account (e)); DROP TABLE a, c',
    "INSERT INTO account (a) VALUES ('TRUNCATE b; LOCK c')",
    "/* it's why; DROP TABLE a */ -- it's how\nCOMMENT ON TABLE account IS 'a'",
    '-- DROP TABLE a\nUPDATE account SET a = 1 WHERE b IS NULL',
  ])('is taken: %s', (sql) => {
    expect(holdsIn(sql)).toEqual([]);
  });

  it('finds what the first release did to tables that were empty', () => {
    const found = (service: string, name: string): string[] =>
      holdsIn(read(`services/${service}/prisma/migrations/${name}/migration.sql`));
    expect(found('account-information', '20261123031000_cheap_checks')).toHaveLength(1);
    expect(found('auth', '20261122203000_revocations_by_client')).toHaveLength(2);
    expect(found('payments', '20261123031500_outbox_headers')).toHaveLength(1);
  });
});

describe('npm run migration', () => {
  const migration = (...args: string[]) =>
    spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/repo/migration.ts'), ...args],
      {
        encoding: 'utf8',
      },
    );

  it('explains itself with --help and names the services', () => {
    const { status, stdout } = migration('--help');
    expect(status).toBe(0);
    for (const prismaDir of services) expect(stdout).toContain(basename(dirname(prismaDir)));
  });

  it.each([
    ['two words are needed', []],
    ['no service "ledger"', ['ledger', 'add_lane']],
    ['"Add Lane" is not snake_case', ['registration', 'Add Lane']],
    ['--force', ['registration', 'add_lane', '--force']],
  ])('refuses with "%s", and writes nothing', (message, args) => {
    const { status, stderr } = migration(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
