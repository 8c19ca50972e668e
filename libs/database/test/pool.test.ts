import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { inTransaction, inTransactionFrom, openDb, openPool, type Tx } from '@kontoport/database';
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
  it('runs every session in UTC and under its name, whatever the URL says', async () => {
    const { rows } = await pool.query(
      `SELECT current_setting('TimeZone') AS zone, current_setting('application_name') AS name,
              current_setting('statement_timeout') AS "limit"`,
    );
    expect(rows).toEqual([{ zone: 'UTC', name: 'test', limit: '10s' }]);
  });

  it('outlives connections that the server ends', async () => {
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
    expect(await databaseReady(pool)).toBeUndefined();
  });

  it('answers in bounded time when the database is away or mute, and says that it is unavailable', async () => {
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
  it('runs SQL by itself or in a transaction, gives Prisma its pool, and knows whether it is there', async () => {
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

describe('a database that a migration is to have been applied to', () => {
  const openMigrated = (url: string) =>
    openDb({ url, applicationName: 'test', migration: '2_more', prisma: () => 'the generated client' });

  it('is not ready until then, says which one is missing, and is ready as long as it answers from then on', async () => {
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

  it('is not said to lack one when it does not answer', async () => {
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

  it('ends when a statement found no answer in time, without asking the same connection for a rollback', async () => {
    const started = performance.now();
    const failure: unknown = await inTransaction(pool, async (tx) => {
      await tx.query('INSERT INTO note VALUES (3)');
      await tx.query({ text: 'SELECT pg_sleep(4)', query_timeout: 100 } as pg.QueryConfig);
    }).catch((error: unknown) => error);
    expect(isUnavailable(failure)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(await notes()).toEqual([1]);
  });

  it('gives back its connection even when that broke', async () => {
    for (let time = 0; time < 5; time++)
      await expect(
        inTransaction(pool, async (tx) => {
          await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
        }),
      ).rejects.toThrow('terminating connection');
    expect(await notes()).toEqual([1]);
  });

  it('goes on after one failure when a migration has changed what its statement was prepared for', async () => {
    await pool.query('CREATE TABLE memo (value jsonb)');
    const before = openPool({ url: database.url, max: 1, applicationName: 'test' });
    const read = (): Promise<pg.QueryResultRow[]> =>
      inTransactionFrom(before, { name: 'read-memo', text: 'SELECT value FROM memo' }, async (rows) => rows);
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

describe('a transaction in two round trips', () => {
  const IMPOSSIBLE = {
    toPostgres() {
      throw new Error('cannot be done');
    },
  };
  const LOCK = { name: 'lock-note', text: 'SELECT id FROM note WHERE id = 1 FOR UPDATE' };
  const add = (id: number) => ({ name: 'add-note', text: 'INSERT INTO note VALUES ($1)', values: [id] });

  it('is committed with its last statement', async () => {
    const found = await inTransactionFrom(pool, LOCK, async (rows: { id: number }[], _, finish) => {
      await finish(add(10));
      return rows;
    });
    expect(found).toEqual([{ id: 1 }]);
    expect(await notes()).toEqual([1, 10]);
  });

  it('is a transaction from its first statement on, and is rolled back when its work rejects', async () => {
    const others = inTransactionFrom(pool, LOCK, async (_, tx) => {
      await tx.query(add(11));
      const blocked = pool.query('SELECT FROM note WHERE id = 1 FOR UPDATE NOWAIT');
      await expect(blocked).rejects.toMatchObject({ code: '55P03' });
      throw new Error('no');
    });
    await expect(others).rejects.toThrow('no');
    expect(await notes()).toEqual([1, 10]);
  });

  it('leaves nothing when its last statement fails, and its connection serves on', async () => {
    const failing = inTransactionFrom(pool, LOCK, async (_, tx, finish) => {
      await tx.query(add(12));
      await finish(add(10));
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await notes()).toEqual([1, 10]);
    await inTransactionFrom(pool, LOCK, (_, __, finish) => finish(add(13)));
    expect(await notes()).toEqual([1, 10, 13]);
  });

  it('leaves nothing when its first statement fails', async () => {
    const wrong = { text: 'SELECT FROM nothing' };
    await expect(inTransactionFrom(pool, wrong, (_, tx) => tx.query(add(14)))).rejects.toMatchObject({
      code: '42P01',
    });
    expect(await notes()).toEqual([1, 10, 13]);
  });

  it('waits for no answer between its beginning and its first statement, nor between its last one and the commit', async () => {
    const held = await holdingBack(database.url, [
      ['BEGIN', 'lock-note'],
      ['add-note', 'COMMIT'],
    ]);
    const slow = openPool({ url: held.url, max: 1, applicationName: 'test' });
    await inTransactionFrom(slow, LOCK, (_, __, finish) => finish(add(15)));
    expect(await notes()).toEqual([1, 10, 13, 15]);
    await slow.end();
    held.close();
    // Each Sync is a turn with the database, which answers what came before it in one go.
    expect(held.said().split('S\0\0\0\x04')).toHaveLength(1 + 2);
  });

  it('is tried again on the same connection when a statement before one that was new to it has failed', async () => {
    const single = openPool({ url: database.url, max: 1, applicationName: 'test' });
    const divide = (by: string) =>
      inTransactionFrom(
        single,
        [
          { name: 'divide', text: 'SELECT 1 / $1::int', values: [by] },
          { name: 'lock-new', text: LOCK.text },
        ],
        (rows) => Promise.resolve(rows),
      );
    const pid = async (): Promise<unknown> => (await single.query('SELECT pg_backend_pid()')).rows;
    const before = await pid();
    await expect(divide('0')).rejects.toMatchObject({ code: '22012' });
    expect(await divide('1')).toEqual([{ id: 1 }]);
    expect(await divide('2')).toEqual([{ id: 1 }]);
    expect(await pid()).toEqual(before);
    await single.end();
  });

  it.each([
    ['a value that cannot be written', { name: 'add-note', text: add(0).text, values: [IMPOSSIBLE] }],
    ['a name that stands for another statement', { name: 'lock-note', text: 'SELECT 2 AS id' }],
    [
      'an answer that cannot be read',
      { text: 'SELECT 1', types: { getTypeParser: () => IMPOSSIBLE.toPostgres } },
    ],
  ])('leaves nothing to %s, and serves on', async (_, statement) => {
    const single = openPool({ url: database.url, max: 1, applicationName: 'test' });
    await inTransactionFrom(single, LOCK, async () => {});
    const failing = inTransactionFrom(single, [add(16), statement, LOCK], (rows) => Promise.resolve(rows));
    await expect(failing).rejects.toThrow(/cannot be done|must be unique/);
    expect((await single.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await notes()).toEqual([1, 10, 13, 15]);
    await single.end();
  });
});

/** A way to the database on which no answer to the first word of a pair is let through before the second one was said. */
async function holdingBack(
  url: string,
  pairs: readonly (readonly [string, string])[],
): Promise<{ url: string; said(): string; close(): void }> {
  const target = new URL(url);
  let said = '';
  const server = createServer((client: Socket) => {
    const database = connect(Number(target.port), target.hostname);
    const isHeld = (): boolean =>
      pairs.some(([first, second]) => said.lastIndexOf(first) > said.lastIndexOf(second));
    let answers: Buffer[] = [];
    const letThrough = (): void => {
      if (isHeld()) return;
      for (const answer of answers) client.write(answer);
      answers = [];
    };
    client.on('data', (bytes) => {
      said += bytes.toString('latin1');
      database.write(bytes);
      letThrough();
    });
    database.on('data', (bytes) => {
      answers.push(bytes);
      letThrough();
    });
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const held = new URL(url);
  held.hostname = '127.0.0.1';
  held.port = String((server.address() as { port: number }).port);
  return { url: held.href, said: () => said, close: () => void server.close() };
}
