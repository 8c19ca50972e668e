import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runSql, testDatabase } from '@kontoport/testing/postgres';
import pg from 'pg';

const root = join(import.meta.dirname, '../../..');
const services = globSync('services/*/prisma/schema.prisma', { cwd: root })
  .map((file) => basename(dirname(dirname(file))))
  .toSorted();

/**
 * Every column of every table: `table.column type`, and whether it may be null; the SQL of models does not state that a
 * list is never null.
 */
async function columnsOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      `SELECT format('%s.%s %s%s', class.relname, attribute.attname,
                     format_type(attribute.atttypid, attribute.atttypmod),
                     CASE WHEN attribute.attnotnull OR type.typcategory = 'A' THEN '' ELSE ' or null' END) AS line
       FROM pg_class AS class
       JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
       JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
       JOIN pg_type AS type ON type.oid = attribute.atttypid
       WHERE namespace.nspname = 'public' AND class.relkind IN ('r', 'p') AND NOT class.relispartition AND class.relname <> '_prisma_migrations'
         AND attribute.attnum > 0 AND NOT attribute.attisdropped
       ORDER BY line`,
    );
    return rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}

/** The SQL that the models alone would lead to, from an empty database. */
function sqlOfModels(service: string, url: string): string {
  const prismaDir = mkdtempSync(join(tmpdir(), 'kontoport-models-'));
  try {
    cpSync(join(root, 'services', service, 'prisma/schema.prisma'), join(prismaDir, 'schema.prisma'));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(import.meta.dirname, 'create-migration.ts'),
        url,
        prismaDir,
        'models',
        '',
        '2026-01-01T00:00:00Z',
      ],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
    return readFileSync(join(stdout, 'migration.sql'), 'utf8');
  } finally {
    rmSync(prismaDir, { recursive: true });
  }
}

describe('the models of a service are its database (ADR-0038)', () => {
  it('holds for services that have one', () => {
    expect(services).toContain('registration');
  });

  it.each(services)('%s: every table, column and type of the migrations, and no other', async (service) => {
    const [migrated, modelled] = [await testDatabase(service), await testDatabase()];
    await runSql(modelled.url, sqlOfModels(service, modelled.url));
    expect(await columnsOf(modelled.url)).toEqual(await columnsOf(migrated.url));
    await migrated.drop();
    await modelled.drop();
  });

  it.each(services)("%s: Prisma sets no time by the process's clock", (service) => {
    const models = readFileSync(join(root, 'services', service, 'prisma/schema.prisma'), 'utf8');
    expect(models).not.toMatch(/@default\(now\(\)\)|@updatedAt/);
  });
});
