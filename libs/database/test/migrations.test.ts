import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, deployMigrations, openPool } from '@kontoport/database';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';

const schema = (fields: string): string => `datasource db {
  provider = "postgresql"
}

model Note {
  id Int @id
${fields}
  @@map("note")
}
`;

let database: TestDatabase;
let pool: pg.Pool;
let prismaDir: string;

beforeAll(async () => {
  database = await testDatabase();
  pool = openPool({ url: database.url, applicationName: 'test' });
  prismaDir = mkdtempSync(join(tmpdir(), 'kontoport-prisma-'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  rmSync(prismaDir, { recursive: true });
});

/** Runs the engine in a process of its own; returns the folder's name, or nothing. */
async function create(name: string, at: string, empty = ''): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, 'create-migration.ts'),
    database.url,
    prismaDir,
    name,
    empty,
    at,
  ]);
  return basename(stdout);
}

const deploy = (): Promise<void> => deployMigrations([{ url: database.url, prismaDir }]);
const sqlOf = (folder: string): string =>
  readFileSync(join(prismaDir, 'migrations', folder, 'migration.sql'), 'utf8');
const columns = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'note' ORDER BY ordinal_position",
  );
  return rows.map(({ name }) => name);
};

describe('migrations', () => {
  it('lead from one schema to the next, keep hand-written SQL, and are applied once', async () => {
    writeFileSync(join(prismaDir, 'schema.prisma'), schema(''));
    const first = await create('first', '2026-11-20T10:00:00Z');
    expect(first).toBe('20261120100000_first');
    appendFileSync(join(prismaDir, 'migrations', first, 'migration.sql'), 'CREATE TABLE by_hand (id int);\n');
    await deploy();
    expect(await columns()).toEqual(['id']);

    expect(await create('nothing', '2026-11-20T11:00:00Z')).toBe('');
    const empty = await create('by_hand', '2026-11-20T11:00:00Z', 'empty');
    expect(sqlOf(empty)).toBe('');

    writeFileSync(join(prismaDir, 'schema.prisma'), schema('  text String'));
    const second = await create('second', '2026-11-20T12:00:00Z');
    expect(sqlOf(second)).toContain('ADD COLUMN     "text" TEXT NOT NULL');
    expect(sqlOf(second)).not.toContain('by_hand');
    await deploy();
    await deploy();
    expect(await columns()).toEqual(['id', 'text']);
    const { rows } = await pool.query('SELECT migration_name FROM _prisma_migrations ORDER BY 1');
    expect(rows).toEqual([first, empty, second].map((name) => ({ migration_name: name })));
  });

  it('that fail say so in the words of the database', async () => {
    const broken = await create('broken', '2026-11-20T13:00:00Z', 'empty');
    writeFileSync(join(prismaDir, 'migrations', broken, 'migration.sql'), 'CREATE TABLE note (id int);\n');
    await expect(deploy()).rejects.toThrow(/relation "note" already exists/);
  });
});

describe('createDatabase', () => {
  it('makes a database once, also when several ask at the same time', async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_made`;
    const urls = await Promise.all(Array.from({ length: 4 }, () => createDatabase(database.url, name)));
    expect(new Set(urls).size).toBe(1);
    expect(new URL(urls[0]!).pathname).toBe(`/${name}`);
    const { rowCount } = await pool.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    expect(rowCount).toBe(1);
    await pool.query(`DROP DATABASE "${name}"`);
  });
});
