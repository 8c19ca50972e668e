import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OUTBOX_HEADERS, OUTBOX_TABLE } from '@kontoport/events';
import { USAGE_TABLE } from '@kontoport/service';

const root = join(import.meta.dirname, '../..');
const services = globSync('services/*/prisma/schema.prisma', { cwd: root }).map(dirname).toSorted();

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const migrations = (prismaDir: string): string[] =>
  globSync('migrations/*/migration.sql', { cwd: join(root, prismaDir) })
    .map(dirname)
    .toSorted();

describe('the migrations of a service', () => {
  it.each(services)('%s: the newest one leads to the present schema', (prismaDir) => {
    const newest = migrations(prismaDir).at(-1)!;
    expect(read(prismaDir, newest, 'schema.prisma')).toBe(read(prismaDir, 'schema.prisma'));
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

describe('npm run migration', () => {
  const migration = (...args: string[]) =>
    spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/migration.ts'), ...args],
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
