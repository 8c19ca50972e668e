import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, type Deployed, deployMigrations, openPool } from '@kontoport/database';
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

const deploy = (): Promise<Deployed> => deployMigrations({ url: database.url, prismaDir });
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
});

describe('a deployment of migrations (ADR-0039)', () => {
  let own: TestDatabase;
  let sql: pg.Pool;
  let folder: string;
  beforeEach(async () => {
    own = await testDatabase();
    sql = openPool({ url: own.url, applicationName: 'test' });
    folder = mkdtempSync(join(tmpdir(), 'kontoport-prisma-'));
    writeFileSync(join(folder, 'schema.prisma'), schema(''));
    write('1_one', 'CREATE TABLE one (id int);');
    write('2_two', 'CREATE TABLE two (id int); -- a comment; of two words\nINSERT INTO two VALUES (1);');
  });
  afterEach(async () => {
    await sql.end();
    await own.drop();
    rmSync(folder, { recursive: true });
  });

  function write(name: string, text: string): void {
    mkdirSync(join(folder, 'migrations', name), { recursive: true });
    writeFileSync(join(folder, 'migrations', name, 'migration.sql'), text);
  }
  const run = (): Promise<Deployed> => deployMigrations({ url: own.url, prismaDir: folder });
  const tables = async (): Promise<string[]> => {
    const { rows } = await sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE nspname = 'public' AND relkind = 'r' AND relname NOT LIKE '\\_%' ORDER BY relname`,
    );
    return rows.map(({ name }) => name);
  };
  const records = async () => {
    const { rows } = await sql.query<Record<string, unknown>>(
      `SELECT migration_name AS name, checksum, logs, rolled_back_at, applied_steps_count AS steps, length(id) AS id,
         finished_at >= started_at AS finished FROM _prisma_migrations ORDER BY started_at`,
    );
    return rows;
  };
  /** The migrations that Prisma's own engine applies of the folder. */
  const runPrisma = async (): Promise<string[]> => {
    const program = join(import.meta.dirname, 'prisma-deploy.ts');
    const args = ['--disable-warning=ExperimentalWarning', program, own.url, folder];
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as string[];
  };

  it('keeps the records of Prisma, and either continues where the other ended', async () => {
    expect(await run()).toEqual({ applied: ['1_one', '2_two'], unknown: [] });
    const record = { logs: null, rolled_back_at: null, steps: 1, id: 36, finished: true };
    expect(await records()).toEqual(
      ['1_one', '2_two'].map((name) => {
        const text = readFileSync(join(folder, 'migrations', name, 'migration.sql'));
        return { ...record, name, checksum: createHash('sha256').update(text).digest('hex') };
      }),
    );
    expect(await runPrisma()).toEqual([]);
    write('3_three', 'CREATE TABLE three (id int);');
    expect(await runPrisma()).toEqual(['3_three']);
    expect((await records()).at(-1)).toMatchObject({ ...record, name: '3_three' });
    expect(await run()).toEqual({ applied: [], unknown: [] });
    write('4_four', 'CREATE TABLE four (id int);');
    expect(await run()).toEqual({ applied: ['4_four'], unknown: [] });
  });

  it('applies each migration once, in concurrent deployments', async () => {
    const deployed = await Promise.all([run(), run(), run()]);
    expect(deployed.flatMap(({ applied }) => applied)).toEqual(['1_one', '2_two']);
    expect(await records()).toHaveLength(2);
  });

  it("leaves nothing of a failed migration, reports the database's message, and can be repeated", async () => {
    write('3_three', 'CREATE TABLE three (id int); CREATE TABLE one (id int);');
    write('4_four', 'CREATE TABLE four (id int);');
    await expect(run()).rejects.toThrow('3_three: relation "one" already exists');
    expect([await tables(), (await records()).length]).toEqual([['one', 'two'], 2]);
    await expect(run()).rejects.toThrow('3_three');
    write('3_three', 'CREATE TABLE three (id int);');
    expect(await run()).toEqual({ applied: ['3_three', '4_four'], unknown: [] });
  });

  it('applies nothing after a half-done migration, until it is resolved', async () => {
    await run();
    write('3_three', 'CREATE TABLE three (id int);');
    await sql.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ('x', 'x', '3_three', 'no space')`,
    );
    await expect(run()).rejects.toThrow('3_three: was left half done (no space)');
    expect(await tables()).toEqual(['one', 'two']);
    await sql.query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'x'`);
    expect(await run()).toEqual({ applied: ['3_three'], unknown: [] });
  });

  it('applies nothing when an applied migration has changed', async () => {
    await run();
    write('1_one', 'CREATE TABLE one (id bigint);');
    write('3_three', 'CREATE TABLE three (id int);');
    await expect(run()).rejects.toThrow(
      '1_one: has changed since it was applied; a database whose data may go',
    );
    expect(await tables()).toEqual(['one', 'two']);
  });

  it('accepts migrations of a newer version, and names them', async () => {
    write('3_three', 'CREATE TABLE three (id int);');
    await run();
    rmSync(join(folder, 'migrations', '3_three'), { recursive: true });
    write('2_two_and_a_half', 'CREATE TABLE half (id int);');
    expect(await run()).toEqual({ applied: ['2_two_and_a_half'], unknown: ['3_three'] });
  });
});

describe('createDatabase', () => {
  it('creates a database once, in concurrent calls', async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_made`;
    const urls = await Promise.all(Array.from({ length: 4 }, () => createDatabase(database.url, name)));
    expect(new Set(urls).size).toBe(1);
    expect(new URL(urls[0]!).pathname).toBe(`/${name}`);
    const { rowCount } = await pool.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    expect(rowCount).toBe(1);
    await pool.query(`DROP DATABASE "${name}"`);
  });
});
