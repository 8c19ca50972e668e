import { inTransaction, openPool, type Tx } from '@kontoport/database';
import { isUnavailable } from '@kontoport/errors';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import { openTcpProxy, type TcpProxy } from '@kontoport/testing/tcp-proxy';
import type pg from 'pg';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = openPool({ url: database.url, max: 2, applicationName: 'test' });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('a statement that fails', () => {
  it('throws an error whose stack names the caller', async () => {
    const failure: unknown = await inTransaction(pool, async function asksForNonsense(tx) {
      await tx.query('SELECT nonsense');
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '42703', stack: expect.stringContaining('asksForNonsense') });
  });
});

describe('a database that does not answer', () => {
  const limits = { statement: 1_200, connection: 3_000 };
  /** The limit of a statement, and 2 s. */
  const MUTE_MS = 3_200;
  let proxy: TcpProxy;
  let far: pg.Pool;

  beforeAll(async () => {
    const url = new URL(database.url);
    proxy = await openTcpProxy({ port: Number(url.port) });
    url.port = String(proxy.port);
    far = openPool({ url: url.href, applicationName: 'test', max: 1, limits });
  });

  afterAll(async () => {
    await proxy.close();
    await far.end();
  });

  const processId = async (tx: Tx): Promise<unknown> =>
    (await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;

  it('fails a statement in bounded time, and the pool replaces its connection', async () => {
    const before = await processId(far);
    proxy.stall();
    const started = performance.now();
    const failure: unknown = await far.query('SELECT 1').catch((error: unknown) => error);
    const tookMs = performance.now() - started;
    proxy.resume();
    expect(failure).toMatchObject({ message: 'Query read timeout' });
    expect(isUnavailable(failure)).toBe(true);
    expect(tookMs).toBeGreaterThan(MUTE_MS - 50);
    expect(tookMs).toBeLessThan(2 * MUTE_MS);
    expect(await processId(far)).not.toBe(before);
  });
});
