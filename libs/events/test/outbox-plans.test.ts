import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { rowsReadSoFar } from '@kontoport/testing/statement-work';
import type pg from 'pg';
import { addToOutbox, type OutgoingRecord } from '../src/index.ts';
import { logger, newTopic, numbered, openOutbox, startRelay } from './parts.ts';

const BACKLOG = 20_000;
const BATCH = 500;
const SLOTS = 16;

const { topic } = newTopic();

describe.each([
  { analyzed: 'never', plans: 'force_generic_plan' },
  { analyzed: 'while it was empty', plans: 'force_generic_plan' },
  { analyzed: 'while it was empty', plans: 'force_custom_plan' },
  { analyzed: 'with the backlog', plans: 'force_custom_plan' },
])('a backlog in the outbox, analyzed $analyzed, $plans (ADR-0029)', ({ analyzed, plans }) => {
  it('a batch reads only its rows', async () => {
    const { pool, close } = await openOutbox();
    if (analyzed === 'while it was empty') await pool.query('ANALYZE');
    const connection = await pool.connect();
    await connection.query(`SET plan_cache_mode = ${plans}`);
    const read: number[] = [];
    const sent: OutgoingRecord[] = [];
    const relay = startRelay({
      pool: watched(connection, read),
      producer: { send: async (records) => void sent.push(...records), close: async () => {} },
      logger,
    });
    // The connection keeps plans that were made for a few rows.
    await addToOutbox(pool, ...Array.from({ length: SLOTS }, (_, at) => numbered(topic, `early ${at}`, at)));
    await until(() => sent.length === SLOTS, { what: 'the first records' });
    await relay.close();
    read.length = 0;

    await pool.query(
      `INSERT INTO outbox (slot, topic, key, value, headers)
       SELECT n % $1, $2, 'key ' || n % 64, '{}', '{}' FROM generate_series(1, $3::int) AS n`,
      [SLOTS, topic.name, BACKLOG],
    );
    if (analyzed === 'with the backlog') await pool.query('ANALYZE');
    const again = startRelay({
      pool: watched(connection, read),
      producer: { send: async (records) => void sent.push(...records), close: async () => {} },
      logger,
    });
    await until(() => sent.length === SLOTS + BACKLOG, { what: 'the backlog' });
    await again.close();
    expect(Math.max(...read)).toBeGreaterThanOrEqual(BATCH);
    expect(Math.max(...read)).toBeLessThanOrEqual(3 * (BATCH + SLOTS));
    connection.release();
    await close();
  });
});

describe('events that are added to a large outbox (ADR-0029)', () => {
  it('read no other rows', async () => {
    const { pool, close } = await openOutbox();
    await pool.query(
      `INSERT INTO outbox (slot, topic, key, value, headers)
       SELECT n % $1, $2, 'key ' || n % 64, '{}', '{}' FROM generate_series(1, $3::int) AS n`,
      [SLOTS, topic.name, BACKLOG],
    );
    const connection = await pool.connect();
    await connection.query('BEGIN');
    const before = await rowsReadSoFar(connection);
    await addToOutbox(connection, numbered(topic, randomUUID(), 1));
    expect(await rowsReadSoFar(connection)).toBe(before);
    await connection.query('ROLLBACK');
    connection.release();
    await close();
  });
});

/** A pool of one connection, which notes what each transaction has read. */
function watched(connection: pg.PoolClient, read: number[]): pg.Pool {
  let before = 0;
  const client = {
    async query(statement: string) {
      if (statement === 'BEGIN') before = await rowsReadInAll(connection);
      const result = await connection.query(statement);
      if (statement === 'COMMIT') read.push((await rowsReadInAll(connection)) - before);
      return result;
    },
    release: () => {},
  };
  const query = (statement: pg.QueryConfig) => connection.query(statement);
  return { connect: async () => client, query } as unknown as pg.Pool;
}

/** Rows of the outbox that were ever read, those of this connection to the last. */
async function rowsReadInAll(connection: pg.PoolClient): Promise<number> {
  await connection.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await connection.query<{ count: string }>(
    "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS count FROM pg_stat_user_tables WHERE relname = 'outbox'",
  );
  return Number(rows[0]!.count);
}
