import { randomUUID } from 'node:crypto';
import { type Tx } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { createLogger, startOpsServer } from '@kontoport/lifecycle';
import { readMetrics } from '@kontoport/testing/metrics';
import { openTestPool, testDatabase, type TestDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';
import { dropPending, dropPendingBefore } from '../src/deliveries/delivery.repository.ts';
import { findWaitingQueues, QueueWalk } from '../src/deliveries/subscription-queue.repository.ts';
import { watchUnclaimed } from '../src/deliveries/watch-unclaimed.ts';
import { subscribeMany } from './many-queues.ts';
import { type Answer, startReceiver } from './receiver.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene } from './scene.ts';

describe('waiting queues are found in turn (ADR-0034)', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  const eventId = randomUUID();

  beforeEach(async () => {
    database = await testDatabase('webhook-dispatcher');
    pool = openTestPool(database.url);
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const waitsSince = async (clientId: string, since: string, queue: string = randomUUID()): Promise<void> => {
    await pool.query(
      `INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at)
       VALUES ($1::uuid, $2, $1::uuid::text, '\\x01', 'https://receiver.test/', '{Posting.CreatedV1}', now())`,
      [queue, clientId],
    );
    await pool.query(
      `INSERT INTO delivery (subscription_id, event_id, event_time, due_at) VALUES ($1, $2, now(), now() - $3::interval)`,
      [queue, eventId, since],
    );
  };

  it('the first of each client comes before the second of any, the longest wait first', async () => {
    const [many, young, old] = [randomUUID(), randomUUID(), randomUUID()];
    for (let i = 0; i < 3; i++) await waitsSince(many, '1 day');
    await waitsSince(young, '1 minute');
    await waitsSince(old, '1 hour');
    const found = async (limit: number): Promise<string[]> =>
      (await findWaitingQueues(pool, limit)).map(({ clientId }) => clientId);
    expect(await found(3)).toEqual([many, old, young]);
    expect(await found(10)).toEqual([many, old, young, many, many]);
  });

  const LANES = ['10', '20', '30'].map((start) => `${start}000000-0000-4000-8000-000000000000`);

  it('each statement reads some queues and the next continues, so that silent ones delay no other', async () => {
    for (const queue of LANES) await waitsSince(randomUUID(), '1 minute', queue);
    const walk = new QueueWalk(2);
    const look = async (): Promise<string[]> =>
      (await findWaitingQueues(pool, 10, walk)).map(({ subscriptionId }) => subscriptionId);
    expect(await look()).toEqual(LANES.slice(0, 2));
    expect(await look()).toEqual(LANES.slice(2));
    await pool.query("UPDATE subscription SET retry_at = now() + interval '1 hour' WHERE internal_id <> $1", [
      LANES[2],
    ]);
    expect(await look()).toEqual([]);
    expect(await look()).toEqual(LANES.slice(2));
  });

  it('the metrics report the longest wait of a whole round, and 0 without one', async () => {
    for (const [at, since] of ['1 minute', '2 hours', '1 hour'].entries())
      await waitsSince(randomUUID(), since, LANES[at]);
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    const told = async (): Promise<number[]> => {
      const { families } = await readMetrics(ops.port);
      return [
        'kontoport_webhook_oldest_due_seconds',
        'kontoport_webhook_organization_starved_seconds',
      ].flatMap((name) => families.get(name)?.series.map(({ value }) => value) ?? []);
    };
    expect(await told()).toEqual([]);
    const logger = createLogger({ service: 'test', level: 'silent' });
    const watch = watchUnclaimed({
      db: pool,
      organizationOf: () => 'one that all are of',
      limitMs: 60_000,
      logger,
      walk: new QueueWalk(1),
    });
    watch.start();
    const [longest, unserved] = await until(
      async () => {
        const now = await told();
        return now.length > 0 && now;
      },
      { what: 'the end of a round' },
    );
    expect(longest).toBeGreaterThanOrEqual(7_200);
    expect(longest).toBeLessThan(7_200 + 600);
    expect(unserved).toBe(0);
    watch.wake();
    await until(async () => (await told())[1]! > 0, { what: 'an organization to be left out' });
    await pool.query(
      "UPDATE subscription SET claim_id = internal_id, lease_until = now() + interval '1 hour' WHERE internal_id = $1",
      [LANES[2]],
    );
    watch.wake();
    await until(async () => (await told())[1] === 0, { what: 'a queue of it to be in hand' });
    expect((await told())[0]).toBeGreaterThanOrEqual(7_200);
    await pool.query('DELETE FROM delivery');
    watch.wake();
    await until(async () => (await told())[0] === 0, { what: 'no wait' });
    expect(await told()).toEqual([0, 0]);
    await watch.close();
    expect(await told()).toEqual([]);
    await ops.close();
  });

  it('deliveries of deleted subscriptions are deleted in the same way', async () => {
    for (const queue of LANES) await waitsSince(randomUUID(), '1 minute', queue);
    await pool.query(
      `INSERT INTO delivery (subscription_id, event_id, event_time)
       SELECT $1, gen_random_uuid(), now() FROM generate_series(1, 2)`,
      [LANES[1]],
    );
    await pool.query(
      `UPDATE subscription SET status = 'DELETED', sealed_key = '', callback_url = '' WHERE internal_id <> $1`,
      [LANES[0]],
    );
    const walk = new QueueWalk(1);
    const dropped: number[] = [];
    for (let i = 0; i < 6; i += 1) dropped.push(await dropPending(pool, 2, walk));
    expect(dropped).toEqual([0, 2, 1, 1, 0, 0]);
  });

  it('only deliveries of expired days are deleted, in parts', async () => {
    for (const queue of LANES) await waitsSince(randomUUID(), '1 minute', queue);
    const from = new Date();
    await pool.query(
      `INSERT INTO delivery (subscription_id, event_id, event_time)
       SELECT unnest($1::uuid[]), gen_random_uuid(), $2::timestamptz - n * interval '1 millisecond'
       FROM generate_series(0, 5) AS n`,
      [LANES.slice(1), new Date(from.getTime() - 60_000)],
    );
    const parts: number[] = [];
    const tx = {
      async query(statement: object) {
        const result = await pool.query<{ dropped: number }>(statement as pg.QueryConfig);
        parts.push(result.rows[0]!.dropped);
        return result;
      },
    } as unknown as Tx;
    expect(await dropPendingBefore(tx, new Date(from.getTime() - 60_000).toISOString(), 4)).toBe(10);
    expect(parts).toEqual([4, 4, 2]);
    const { rows } = await pool.query('SELECT FROM delivery');
    expect(rows).toHaveLength(LANES.length + 2);
  });
});

describe('a queue yields to others of the same share (ADR-0034)', () => {
  it('after 2 s, also with deliveries left', async () => {
    const POSTINGS = 400;
    // Of 512 queues a client has one, and two POSTs in flight.
    const scene = await openScene({ WEBHOOK_SHARE: '0.001' });
    const slow: Answer = (response) => void setTimeout(() => response.writeHead(204).end(), 100);
    const { tpp, client, receiver } = await scene.subscriber(slow);
    const other = await startReceiver(slow);
    await client.subscribe(other.url);
    await publish(
      scene.parts.producer,
      Array.from({ length: POSTINGS }, () => postingFor([tpp])),
    );
    await until(() => receiver.received.length > 0 && other.received.length > 0, {
      what: 'both receivers to get something',
    });
    expect(Math.max(receiver.received.length, other.received.length)).toBeLessThan(POSTINGS);
    await other.close();
    await scene.close();
  });
});

describe('POSTs in flight have shares (ADR-0034)', () => {
  it('a client has its share of the free ones, and at least one for each queue', async () => {
    // Of 1,024 with a fiftieth for each: 20.08 of what this client itself leaves.
    const share = 21;
    const scene = await openScene({ WEBHOOK_SHARE: '0.02' });
    const silent = await startReceiver(() => {});
    const tpp = await scene.parts.peers.addTpp();
    const callbacks = Array.from({ length: 5 }, (_, i) => `${silent.url}&n=${i}`);
    await subscribeMany(scene.parts, tpp.clientId, callbacks);
    await publish(
      scene.parts.producer,
      Array.from({ length: 10 }, () => postingFor([tpp])),
    );
    await arrived(silent, share);
    await scene.fence();
    expect(silent.received.length).toBeGreaterThanOrEqual(share);
    expect(silent.received.length).toBeLessThanOrEqual(share + callbacks.length);
    await silent.close();
    await scene.close();
  });
});
