import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { inTransaction, openDb, openPool, type Tx } from '@kontoport/database';
import { isUnavailable } from '@kontoport/errors';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { databaseReady } from '../src/pool.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = openPool({
    url: `${database.url}?options=-c%20TimeZone%3DEurope/Berlin`,
    max: 2,
    applicationName: 'test',
  });
  await pool.query('CREATE TABLE note (id int PRIMARY KEY)');
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const notes = async (): Promise<number[]> =>
  (await pool.query<{ id: number }>('SELECT id FROM note ORDER BY id')).rows.map(({ id }) => id);

describe('a pool', () => {
  it('runs every session in UTC and under its name, whatever the URL contains', async () => {
    const { rows } = await pool.query(
      `SELECT current_setting('TimeZone') AS zone, current_setting('application_name') AS name,
              current_setting('statement_timeout') AS "limit"`,
    );
    expect(rows).toEqual([{ zone: 'UTC', name: 'test', limit: '10s' }]);
  });

  it('survives connections that the server ends', async () => {
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    expect(await databaseReady(pool)).toBeUndefined();
  });

  it('closes a connection that returns within a transaction', async () => {
    const one = openPool({ url: database.url, max: 1, applicationName: 'test' });
    await one.query('CREATE TABLE dirty (id int)');
    const client = await one.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO dirty VALUES (1)');
    client.release();
    await one.query('INSERT INTO dirty VALUES (2)');
    const { rows } = await pool.query('SELECT id FROM dirty');
    expect(rows).toEqual([{ id: 2 }]);
    await one.end();
  });

  it('reports an unreachable or silent database as unavailable, in bounded time', async () => {
    const mute: Server = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    for (const at of [port, 1]) {
      const away = openPool({ url: `postgres://u:p@127.0.0.1:${at}/x`, applicationName: 'test' });
      const started = performance.now();
      const failure: unknown = await away.query('SELECT 1').then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(isUnavailable(failure)).toBe(true);
      expect(performance.now() - started).toBeLessThan(5_000);
      expect(await databaseReady(away)).toBe('the database does not answer');
      await away.end();
    }
    mute.close();
  });
});

describe('the handle of a database', () => {
  it('runs SQL with and without a transaction, shares its pool with Prisma, and knows its readiness', async () => {
    const db = openDb({ url: database.url, applicationName: 'test', prisma: (adapter) => ({ adapter }) });
    expect(db.prisma.adapter).toBeInstanceOf(PrismaPg);
    const one = (tx: Tx) => tx.query<{ one: number }>('SELECT 1 AS one').then(({ rows }) => rows);
    expect(await one(db)).toEqual([{ one: 1 }]);
    expect(await inTransaction(db, one)).toEqual([{ one: 1 }]);
    expect(await db.readiness()).toBeUndefined();
    await db.close();
    expect(await db.readiness()).toBe('the database does not answer');
  });
});

describe('a database that requires a migration', () => {
  const openMigrated = (url: string) =>
    openDb({ url, applicationName: 'test', migration: '2_more', prisma: () => 'the generated client' });

  it('is not ready without it, names the missing one, and afterwards is ready while it answers', async () => {
    const db = openMigrated(database.url);
    const missing = 'the migration 2_more has not been applied';
    const record = 'INSERT INTO _prisma_migrations VALUES';
    expect(await db.readiness()).toBe(missing);
    await pool.query('CREATE TABLE _prisma_migrations (migration_name text, finished_at timestamptz)');
    await pool.query(`${record} ('1_init', now()), ('2_more', NULL)`);
    expect(await db.readiness()).toBe(missing);
    await pool.query(`${record} ('2_more', now())`);
    expect(await db.readiness()).toBeUndefined();
    await db.close();
    expect(await db.readiness()).toBe('the database does not answer');
  });

  it('reports no missing migration when it does not answer', async () => {
    const db = openMigrated('postgres://127.0.0.1:1/x');
    expect(await db.readiness()).toBe('the database does not answer');
    await db.close();
  });
});

describe('a transaction', () => {
  it('is committed when its work resolves', async () => {
    await expect(
      inTransaction(pool, async (tx) => {
        await tx.query('INSERT INTO note VALUES (1)');
        return 'done';
      }),
    ).resolves.toBe('done');
    expect(await notes()).toEqual([1]);
  });

  it('leaves nothing when its work rejects', async () => {
    await expect(
      inTransaction(pool, async (tx) => {
        await tx.query('INSERT INTO note VALUES (2)');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await notes()).toEqual([1]);
  });

  it('ends after a statement timeout, without a rollback on the same connection', async () => {
    const started = performance.now();
    const failure: unknown = await inTransaction(pool, async (tx) => {
      await tx.query('INSERT INTO note VALUES (3)');
      await tx.query({ text: 'SELECT pg_sleep(4)', query_timeout: 100 } as pg.QueryConfig);
    }).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await notes()).toEqual([1]);
  });

  it.each(['40001', '40P01'])('keeps its connection after a conflict (%s)', async (code) => {
    const one = openPool({ url: database.url, max: 1, applicationName: 'test' });
    const processId = async () => (await one.query('SELECT pg_backend_pid() AS id')).rows;
    const before = await processId();
    const conflict = inTransaction(one, (tx) => tx.query(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`));
    await expect(conflict).rejects.toMatchObject({ code });
    expect(await processId()).toEqual(before);
    await one.end();
  });

  it('returns a broken connection', async () => {
    for (let time = 0; time < 5; time++)
      await expect(
        inTransaction(pool, async (tx) => {
          await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
        }),
      ).rejects.toThrow('terminating connection');
    expect(await notes()).toEqual([1]);
  });

  it('recovers after one failure when a migration changed a prepared statement', async () => {
    await pool.query('CREATE TABLE memo (value jsonb)');
    const before = openPool({ url: database.url, max: 1, applicationName: 'test' });
    const read = (): Promise<pg.QueryResultRow[]> =>
      inTransaction(before, async (tx) => {
        const { rows } = await tx.query({ name: 'read-memo', text: 'SELECT value FROM memo' });
        return rows;
      });
    try {
      expect(await read()).toEqual([]);
      await pool.query('ALTER TABLE memo ALTER COLUMN value TYPE json');
      await expect(read()).rejects.toThrow('cached plan must not change result type');
      expect(await read()).toEqual([]);
    } finally {
      await before.end();
    }
  });
});
