import { getHeapSpaceStatistics } from 'node:v8';
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

describe('what a statement brings (ADR 111)', () => {
  const TIMES = 1_500;
  const query = {
    name: 'much',
    text: `SELECT md5(i::text) AS a, repeat('x', 600) AS b FROM generate_series(1, 100) AS i`,
  };
  const oldBytes = (): number =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size;

  it.each<[string, () => Promise<unknown>]>([
    ['by a pool', () => pool.query(query)],
    ['in a transaction', () => inTransaction(pool, (tx) => tx.query(query))],
  ])('is collected while it is young: %s', async (_how, ask) => {
    for (let time = 0; time < TIMES / 3; time++) await ask();
    let [grown, before] = [0, oldBytes()];
    for (let time = 0; time < TIMES; time++) {
      await ask();
      const now = oldBytes();
      grown += Math.max(0, now - before);
      before = now;
    }
    // Of 60 kB and more for each.
    expect(grown / TIMES).toBeLessThan(10_000);
  });

  it('leads to whoever asked when it is an error', async () => {
    const asker = async (): Promise<unknown> =>
      inTransaction(pool, async function asksForNonsense(tx) {
        await tx.query('SELECT nonsense');
      });
    const failure: unknown = await asker().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '42703', stack: expect.stringContaining('asksForNonsense') });
  });
});

describe('a connection over which nothing comes', () => {
  /** What a statement may take, and 2 s, which make it mute. */
  const limits = { statement: 1_200, connection: 3_000 };
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
  /** Nothing is asked over it meanwhile. */
  const longerThanMute = () => pool.query('SELECT pg_sleep($1)', [(MUTE_MS + 200) / 1_000]);

  it('is kept while no statement is under way, within a transaction and without', async () => {
    const before = await processId(far);
    await longerThanMute();
    const within = await inTransaction(far, async (tx) => {
      const began = await processId(tx);
      await longerThanMute();
      return [began, await processId(tx)];
    });
    expect(within).toEqual([before, before]);
  });

  it('ends while a statement is under way, and another takes its place', async () => {
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
