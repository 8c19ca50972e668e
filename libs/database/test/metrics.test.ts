import { openPool } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { startOpsServer } from '@kontoport/lifecycle';
import { readMetrics } from '@kontoport/testing/metrics';
import { testDatabase, type TestDatabase } from '@kontoport/testing/postgres';

let database: TestDatabase;
let ops: Awaited<ReturnType<typeof startOpsServer>>;
beforeAll(async () => {
  database = await testDatabase();
  ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
});
afterAll(async () => {
  await ops.close();
  await database.drop();
});

/** The metrics of the pool of a name. */
async function told(pool: string) {
  const metrics = await readMetrics(ops.port);
  const labels = { db_client_connection_pool_name: pool };
  const state = (name: string): number =>
    metrics.sum('db_client_connections', { ...labels, db_client_connection_state: name });
  return {
    idle: state('idle'),
    used: state('used'),
    max: metrics.sum('db_client_connection_max', labels),
    pending: metrics.sum('db_client_connection_pending_requests', labels),
    got: metrics.sum('db_client_connection_wait_time_seconds_count', labels),
    waited: metrics.sum('db_client_connection_wait_time_seconds_sum', labels),
    failures: metrics.sum('kontoport_db_connection_failures_total', labels),
  };
}

describe('the metrics of a pool', () => {
  it('count connections by state, waiting callers and wait times', async () => {
    const pool = openPool({ url: database.url, applicationName: 'busy', max: 2 });
    const nothing = { idle: 0, used: 0, max: 2, pending: 0, got: 0, waited: 0, failures: 0 };
    expect(await told('busy')).toEqual(nothing);
    // A rate does not see a count that begins with 1.
    const { families } = await readMetrics(ops.port);
    expect(families.get('kontoport_db_connection_failures_total')!.series).toContainEqual({
      name: 'kontoport_db_connection_failures_total',
      labels: { db_client_connection_pool_name: 'busy' },
      value: 0,
    });
    const [first, second] = [await pool.connect(), await pool.connect()];
    const third = pool.query('SELECT 1');
    expect(await told('busy')).toMatchObject({ idle: 0, used: 2, pending: 1, got: 2 });
    first.release();
    await third;
    await until(async () => (await told('busy')).idle === 1, {
      what: 'the query to give back its connection',
    });
    const after = await told('busy');
    expect(after).toMatchObject({ idle: 1, used: 1, pending: 0, got: 3, failures: 0 });
    expect(after.waited).toBeGreaterThan(0);
    second.release();
    await pool.end();
    expect(await told('busy')).toMatchObject({ idle: 0, used: 0, max: 0 });
  });

  it('count timeouts of waits for a connection', async () => {
    const pool = openPool({
      url: database.url,
      applicationName: 'short',
      max: 1,
      limits: { statement: 10_000, connection: 50 },
    });
    // The first connection may need longer than that.
    const client = await until(() => pool.connect(), { what: 'the only connection' });
    const { failures } = await told('short');
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout');
    await expect(pool.connect()).rejects.toThrow('timeout');
    expect(await told('short')).toMatchObject({ got: 1, failures: failures + 2 });
    client.release();
    await pool.end();
  });
});
