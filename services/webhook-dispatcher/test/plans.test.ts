import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import type pg from 'pg';
import type { OutcomeToRecord } from '../src/deliveries/delivery.model.ts';
import {
  dropPending,
  dropPendingBefore,
  findDue,
  recordOutcomes,
} from '../src/deliveries/delivery.repository.ts';
import {
  claimQueues,
  findWaitingQueues,
  inspectQueues,
  pauseFailing,
  QueueWalk,
  releaseQueues,
  renewLeases,
} from '../src/deliveries/subscription-queue.repository.ts';
import type { EventToRecord } from '../src/event-types/webhook-event.model.ts';
import { recordEvents } from '../src/events/record-events.repository.ts';
import { createPrisma } from '../src/gen/db.ts';
import { selectDeliveries } from '../src/log/delivery-log.repository.ts';
import { type ClaimedReplay, STEP } from '../src/replays/replay-step.model.ts';
import { claimReplay, redeliver, walkEvents } from '../src/replays/replay-step.repository.ts';
import { type Day, dayOf } from '../src/retention/partition-day.model.ts';
import { createPartitions } from '../src/retention/partitions.repository.ts';
import { deleteSubscriptionsOf } from '../src/subscriptions/subscription.repository.ts';

const LANES = 20;
const PENDING = 20_000;
const BATCH = 500;
/** Subscriptions that nothing is sent to. */
const OTHERS = 5_000;
/** Where the queues lead. */
const CALLBACK = 'https://receiver.test/';
const KNOWN = { callbackUrl: CALLBACK, outages: 0, failures: 0, failingMs: undefined };
/** For every partition of a topic. */
const TAKEN = Array.from({ length: 12 }, (_, partition) => ({ topic: 't', partition, from: 0n, to: 42n }));
const clientId = randomUUID();
const claimId = randomUUID();
const FAILING = { afterMs: 1_000, minFailures: 1, claims: [] };
const OWNER = { clientId, id: 'queue-1' };
const PAGE = { limit: 100 };

const DELIVERED = `
  WITH ended AS (DELETE FROM delivery RETURNING *)
  INSERT INTO delivery_log (subscription_id, event_time, event_id, status, attempts, made, finished_at)
  SELECT subscription_id, event_time, event_id, 'delivered', 1, '[{}]', now() FROM ended`;

/** The time of the statistics, and whether there were rows before the backlog. */
const STATISTICS = {
  'never taken': { grown: false, analyzed: 'never' },
  'taken on empty tables': { grown: false, analyzed: 'before' },
  'taken while everything was delivered': { grown: true, analyzed: 'before' },
  'taken with the backlog': { grown: true, analyzed: 'after' },
};

type Found = { eventId: string; place: string };
type SubscriptionQueue = { subscriptionId: string; claimId: string };

const outcomesOf = (queue: SubscriptionQueue, found: readonly Found[]): OutcomeToRecord[] =>
  found.map((each) => ({
    ...queue,
    ...each,
    attempts: 0,
    made: { startedAt: new Date().toISOString(), milliseconds: 1, outcome: 'accepted', httpStatus: 200 },
    next: { status: 'delivered' },
    pause: false,
    callbackUrl: CALLBACK,
  }));

const newEvents = (): EventToRecord[] =>
  Array.from({ length: BATCH }, () => ({
    id: randomUUID(),
    type: 'Posting.CreatedV1',
    time: new Date(),
    audience: [clientId],
    content: '{"a":1}',
    traceparent: undefined,
  }));

describe.each(Object.entries(STATISTICS))(
  'a backlog costs no statement more than its batch, statistics %s (§6)',
  (_name, { grown, analyzed }) => {
    let pool: Planning['pool'];
    let close: Planning['close'];
    let connections: Planning['connections'];
    let queues: SubscriptionQueue[];

    beforeAll(async () => {
      ({ pool, connections, close } = await openPlanning('webhook-dispatcher'));
      await createPartitions({ pool }, monthUntilTomorrow());
      if (grown) {
        await backlog(pool);
        await pool.query(DELIVERED);
        await pool.query('DELETE FROM subscription');
      }
      if (analyzed === 'before') await pool.query('ANALYZE');
      await useAllStatements(connections[1]);
      queues = await backlog(pool);
      await pool.query(
        `INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at)
         SELECT gen_random_uuid(), gen_random_uuid(), 'other', '\\x01', 'https://receiver.test/',
           '{Posting.CreatedV1}', now() - interval '1 hour' FROM generate_series(1, $1::int)`,
        [OTHERS],
      );
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(() => close());

    const most = async (work: (tx: Tx) => Promise<unknown>): Promise<number> => {
      const [custom, kept] = [await rowsRead(connections[0], work), await rowsRead(connections[1], work)];
      return Math.max(custom, kept);
    };

    const pending = async (): Promise<Found[]> => {
      const { rows } = await pool.query<Found>(
        'SELECT event_id AS "eventId", ctid::text AS place FROM delivery WHERE subscription_id = $1 ORDER BY due_at LIMIT $2',
        [queues[0]!.subscriptionId, BATCH],
      );
      return rows;
    };

    it('outcomes are written by reading only their deliveries', async () => {
      const outcomes = outcomesOf(queues[0]!, await pending());
      const read = await most(async (tx) => expect((await recordOutcomes(tx, outcomes)).size).toBe(BATCH));
      expect(read).toBeLessThanOrEqual(4 * BATCH + 10 * LANES);
    });

    it('due deliveries are found by reading them and those in flight', async () => {
      const { subscriptionId } = queues[0]!;
      const busy = (await pending()).map(({ eventId }) => ({ subscriptionId, eventId }));
      const wanted = queues.map((queue) => ({ ...queue, callbackUrl: 'https://tpp.example/', wanted: 10 }));
      const read = await most(async (tx) =>
        expect((await findDue(tx, { queues: wanted, busy })).length).toBe(10 * LANES),
      );
      expect(read).toBeLessThanOrEqual(2 * BATCH + 6 * 10 * LANES);
    });

    it('waiting queues are found by reading one delivery of each, and claimed without reading any', async () => {
      const subscriptionIds = queues.map(({ subscriptionId }) => subscriptionId);
      const read = await most(async (tx) => {
        await tx.query(
          'UPDATE subscription SET claim_id = NULL, lease_until = NULL WHERE internal_id = ANY ($1::uuid[])',
          [subscriptionIds],
        );
        expect(await findWaitingQueues(tx, 512)).toHaveLength(LANES);
        expect(await claimQueues(tx, { subscriptionIds, claimId, leaseMs: 1_000 })).toHaveLength(LANES);
      });
      expect(read).toBeLessThanOrEqual(12 * LANES);
    });

    it('unclaimed queues are found by reading one delivery of each', async () => {
      const read = await most(async (tx) => {
        await tx.query(
          `UPDATE subscription SET lease_until = now() - interval '1 ms'
           WHERE internal_id = ANY ($1::uuid[])`,
          [queues.map(({ subscriptionId }) => subscriptionId)],
        );
        expect(await inspectQueues(tx, new QueueWalk())).toMatchObject([{ clientId, isHeld: false }]);
      });
      expect(read).toBeLessThanOrEqual(8 * LANES);
    });

    it('leases are renewed and released by reading only their queues', async () => {
      const held = queues.map((queue) => ({ ...queue, ...KNOWN, waitMs: undefined }));
      const read = await most(async (tx) => {
        expect((await renewLeases(tx, held, 1_000)).size).toBe(LANES);
        await releaseQueues(tx, held);
      });
      expect(read).toBeLessThanOrEqual(6 * LANES);
    });

    it('failing queues are found without reading the others', async () => {
      const read = await most(async (tx) => expect(await pauseFailing(tx, FAILING)).toEqual([]));
      expect(read).toBeLessThanOrEqual(LANES);
    });

    it('a page of the log is found by reading only its rows', async () => {
      const read = await most(async (tx) =>
        expect((await selectDeliveries(tx, OWNER, PAGE)).deliveries).toHaveLength(PAGE.limit),
      );
      expect(read).toBeLessThanOrEqual(5 * (PAGE.limit + 1));
    });

    it('subscriptions of a deleted client are found without reading those of others', async () => {
      const read = await most(
        withinOne(createPrisma)(async (db) =>
          expect(await deleteSubscriptionsOf(db, [clientId])).toBe(LANES),
        ),
      );
      expect(read).toBeLessThanOrEqual(6 * LANES);
    });

    it('deliveries of deleted subscriptions are found by reading one of each queue', async () => {
      expect(await most((tx) => dropPending(tx, 5_000))).toBeLessThanOrEqual(10 * LANES);
    });

    it('deliveries of expired days are found by reading one of each queue', async () => {
      const hourAgo = new Date(Date.now() - 60 * 60_000).toISOString();
      expect(await most((tx) => dropPendingBefore(tx, hourAgo))).toBeLessThanOrEqual(10 * LANES);
    });

    it('events are recorded without reading pending deliveries', async () => {
      const read = await most(async (tx) => {
        const made = await recordEvents(tx, newEvents(), TAKEN);
        expect(made).toHaveLength(LANES);
        expect(made[0]).toMatchObject({ clientId, claimId, callbackUrl: CALLBACK });
        expect(made[0]!.deliveries).toHaveLength(BATCH);
      });
      expect(read).toBeLessThanOrEqual(2 * BATCH * LANES);
    });

    it.each(['TIME', 'LATE'] as const)('a replay walks %s by reading only a step', async (phase) => {
      const made = `INSERT INTO event (id, time, type, audience, content, recorded_at)
        SELECT gen_random_uuid(), now() - interval '5 days' - n * interval '1 s', 'Posting.CreatedV1', ARRAY[$1::uuid], '{}',
          now() - interval '4 days' FROM generate_series(1, 2000) AS n`;
      const walking = { ...anyReplay(), phase };
      await logged(pool, { subscriptionId: walking.subscriptionId, count: 4 * STEP.events });
      const read = await most(async (tx) => {
        await tx.query(made, [clientId]);
        const walked = await walkEvents(tx, walking, ['Posting.CreatedV1']);
        expect(walked).toMatchObject({ room: STEP.due, scanned: STEP.events });
        expect(walked.matched).toHaveLength(STEP.due);
      });
      expect(read).toBeLessThanOrEqual(2 * STEP.events);
    });

    it('deliveries that a replay repeats are found by reading only them', async () => {
      const { subscriptionId } = queues[0]!;
      const events = await logged(pool, { subscriptionId, count: 4 * STEP.events });
      const read = await most(async (tx) => {
        expect(await redeliver(tx, subscriptionId, events.slice(0, STEP.due))).toBe(STEP.due);
      });
      expect(read).toBeLessThanOrEqual(6 * STEP.due);
    });
  },
);

describe('the statements of every event', () => {
  let planning: Planning;

  beforeAll(async () => {
    planning = await openPlanning('webhook-dispatcher');
  });
  afterAll(() => planning.close());

  it('are planned five times and then no more, for any number of events', async () => {
    await createPartitions(planning, monthUntilTomorrow());
    const [queue] = await backlog(planning.pool);
    const connection = await planning.pool.connect();
    const { subscriptionId } = queue!;
    for (let turn = 1; turn <= 8; turn++) {
      await recordEvents(connection, newEvents().slice(0, turn), TAKEN.slice(0, turn));
      const wanted = [{ ...queue!, callbackUrl: CALLBACK, wanted: turn }];
      const due = await findDue(connection, {
        queues: wanted,
        busy: [{ subscriptionId, eventId: randomUUID() }],
      });
      expect((await recordOutcomes(connection, outcomesOf(queue!, due))).size).toBe(turn);
    }
    const { rows } = await connection.query(
      'SELECT name, generic_plans::int AS kept, custom_plans::int AS made FROM pg_prepared_statements ORDER BY name',
    );
    connection.release();
    expect(rows).toEqual(
      ['find-due', 'record-events', 'record-outcomes'].map((name) => ({ name, kept: 3, made: 5 })),
    );
  });
});

describe('replays are claimed in turn, each by one process (§4.6)', () => {
  let planning: Planning;

  beforeAll(async () => {
    planning = await openPlanning('webhook-dispatcher');
  });
  afterAll(() => planning.close());

  it('of the client that has waited longest, and none that another process has', async () => {
    const [greedy, modest] = [randomUUID(), randomUUID()];
    const { rows } = await planning.pool.query<{ id: string }>(
      `WITH given AS (
         SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[]) WITH ORDINALITY AS g (client_id, stepped, due, number)
       ), made AS (
         INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at)
         SELECT gen_random_uuid(), client_id, 's-' || number, '\\x01', 'https://receiver.test/', '{}', now() FROM given
         RETURNING internal_id, id
       )
       INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time, stepped_at, step_at)
       SELECT gen_random_uuid(), internal_id, client_id, 'ASKED', 'TIME', now(), now(), now() - stepped * interval '1 s',
         now() + due * interval '1 hour'
       FROM given JOIN made ON made.id = 's-' || number ORDER BY number RETURNING id`,
      [
        [greedy, greedy, modest, modest],
        [1, 60, 30, 90],
        [-1, -1, -1, 1],
      ],
    );
    const [recent, old, only] = rows.map(({ id }) => id);
    const [one, other] = planning.connections;
    await one.query('BEGIN');
    await other.query('BEGIN');
    expect((await claimReplay(one))!.id).toBe(only);
    expect((await claimReplay(other))!.id).toBe(old);
    await one.query('COMMIT');
    await one.query('BEGIN');
    await one.query('UPDATE replay SET stepped_at = now() WHERE id = $1', [only]);
    expect((await claimReplay(one))!.id).toBe(recent);
    await one.query('ROLLBACK');
    await other.query('ROLLBACK');
  });
});

/** Deliveries that have ended, the last of them an hour ago. */
async function logged(
  pool: pg.Pool,
  { subscriptionId, count }: { subscriptionId: string; count: number },
): Promise<{ id: string; time: Date }[]> {
  const { rows } = await pool.query<{ id: string; time: Date }>(
    `INSERT INTO delivery_log (subscription_id, event_time, event_id, status, attempts, made, finished_at)
     SELECT $1, now() - interval '1 hour' - n * interval '1 s', gen_random_uuid(), 'delivered', 1, '[]', now()
     FROM generate_series(1, $2::int) AS n RETURNING event_id AS id, event_time AS time`,
    [subscriptionId, count],
  );
  return rows;
}

/** A replay of a subscription without deliveries, pending or ended. */
const anyReplay = (): ClaimedReplay => ({
  id: randomUUID(),
  cause: 'RESUMED',
  phase: 'TIME',
  waitsFor: null,
  reached: null,
  subscriptionId: randomUUID(),
  clientId,
  subscriptionStatus: 'ACTIVE',
  eventTypes: ['Posting.CreatedV1'],
  subscribedAt: new Date(0),
  from: new Date(Date.now() - 6 * 24 * 60 * 60_000),
  to: new Date(),
});

/** The days that are there after a month. */
function monthUntilTomorrow(): Day[] {
  const ago = (days: number): Day => dayOf(new Date(Date.now() - days * 24 * 60 * 60_000));
  return Array.from({ length: 32 }, (_, i) => ago(i - 1));
}

/** Has every statement planned. */
async function useAllStatements(connection: pg.PoolClient): Promise<void> {
  const queue = { subscriptionId: randomUUID(), claimId };
  const found = Array.from({ length: BATCH }, (_, i) => ({ eventId: randomUUID(), place: `(0,${i + 1})` }));
  const busy = found.map(({ eventId }) => ({ ...queue, eventId }));
  await rowsRead(connection, async (tx) => {
    await recordOutcomes(tx, outcomesOf(queue, found));
    await findDue(tx, { queues: [{ ...queue, callbackUrl: 'https://tpp.example/', wanted: 10 }], busy });
    await findWaitingQueues(tx, 512);
    await claimQueues(tx, { subscriptionIds: [queue.subscriptionId], claimId, leaseMs: 1_000 });
    const known = { ...queue, ...KNOWN };
    await renewLeases(tx, [known], 1_000);
    await releaseQueues(tx, [{ ...known, waitMs: undefined }]);
    await dropPending(tx, 5_000);
    await dropPendingBefore(tx, new Date(0).toISOString());
    await recordEvents(tx, newEvents(), TAKEN);
    await inspectQueues(tx, new QueueWalk());
    const any = { id: randomUUID(), time: new Date() };
    for (const phase of ['TIME', 'LATE'] as const)
      await walkEvents(tx, { ...anyReplay(), phase }, ['Posting.CreatedV1']);
    await redeliver(tx, queue.subscriptionId, [any]);
  });
}

/** Claimed queues with deliveries that are all due. */
async function backlog(pool: pg.Pool): Promise<SubscriptionQueue[]> {
  const { rows } = await pool.query<{ internal_id: string }>(
    `INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at,
       claim_id, lease_until)
     SELECT gen_random_uuid(), $1, 'queue-' || n, '\\x01', 'https://receiver.test/', '{Posting.CreatedV1}',
       now() - interval '1 hour', $2, now() + interval '1 hour'
     FROM generate_series(1, $3::int) AS n RETURNING internal_id`,
    [clientId, claimId, LANES],
  );
  await pool.query(
    `WITH fresh AS (
       INSERT INTO event (id, type, time, audience, content)
       SELECT gen_random_uuid(), 'Posting.CreatedV1', now(), '{}', '{}' FROM generate_series(1, $1::int)
       RETURNING id, time
     )
     INSERT INTO delivery (subscription_id, event_id, event_time)
     SELECT s.internal_id, fresh.id, fresh.time FROM fresh CROSS JOIN subscription s`,
    [PENDING / LANES],
  );
  return rows.map(({ internal_id: subscriptionId }) => ({ subscriptionId, claimId }));
}
