import { randomUUID } from 'node:crypto';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import type pg from 'pg';
import { TEST_EVENT } from '../src/event-types/webhook-event.model.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { resumeDelivery, selectDelivery } from '../src/log/delivery-log.repository.ts';
import { claimReplay, saveProgress } from '../src/replays/replay-step.repository.ts';
import { endPause, insertReplay, selectReplay } from '../src/replays/replay.repository.ts';
import { type Day, dayOf } from '../src/retention/partition-day.model.ts';
import { createPartitions } from '../src/retention/partitions.repository.ts';
import {
  deleteSubscription,
  newSubscribers,
  replaceSubscription,
} from '../src/subscriptions/subscription.repository.ts';
import { sendTestEvent } from '../src/test-events/send-test-event.ts';

/** Subscriptions of others, and of the client in question; replays that have ended, of each and of one. */
const OTHERS = 5_000;
const OWN = 500;
const ENDED = 40;
const RUNNING = 250;
/** Events that were sent to the one subscription, and that still are to be. */
const SENT = 2_000;
/** Days that there are: an event's id alone is looked for in each. */
const DAYS = 32;
const HOUR = 3_600_000;

interface Known {
  clientId: string;
  /** Of events, pending and sent. */
  pending: string;
  sent: string;
  replayId: string;
}

const nobody: Known = {
  clientId: randomUUID(),
  pending: randomUUID(),
  sent: randomUUID(),
  replayId: randomUUID(),
};

const within = withinOne(createPrisma);

const STATISTICS = {
  'never taken': { grown: false, analyzed: 'never' },
  'taken on empty tables': { grown: false, analyzed: 'before' },
  'taken when all had gone': { grown: true, analyzed: 'before' },
  'taken with all there is': { grown: false, analyzed: 'after' },
};

describe.each(Object.entries(STATISTICS))(
  'requests for one subscription read only its rows, statistics %s (§4.6)',
  (_name, { grown, analyzed }) => {
    let planning: Planning;
    let known: Known;

    beforeAll(async () => {
      planning = await openPlanning('webhook-dispatcher');
      const { pool, connections } = planning;
      const today = Date.now();
      const days = Array.from({ length: DAYS }, (_, i): Day => dayOf(new Date(today + (1 - i) * 24 * HOUR)));
      await createPartitions({ pool }, days);
      if (grown) {
        await fill(pool);
        await pool.query(
          'DELETE FROM delivery; DELETE FROM delivery_log; DELETE FROM event; DELETE FROM replay; DELETE FROM subscription',
        );
      }
      if (analyzed === 'before') await pool.query('ANALYZE');
      for (const { run } of Object.values(statements(nobody)))
        await rowsRead(
          connections[1],
          within((db) => run(db).catch(() => {})),
        );
      known = await fill(pool);
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(() => planning.close());

    it.each(Object.entries(statements(nobody)).map(([what, { most }]) => [what, most] as const))(
      '%s reads at most %d rows',
      async (what, most) => {
        const { run } = statements(known)[what]!;
        const read = [];
        for (const connection of planning.connections)
          read.push(
            await rowsRead(
              connection,
              within(async (db) => expect(await run(db)).toBeTruthy()),
            ),
          );
        expect(Math.max(...read)).toBeLessThanOrEqual(most);
      },
    );
  },
);

/** Every statement, and how many rows it may read; each resolves to whether its result is right. */
function statements({
  clientId,
  pending,
  sent,
  replayId,
}: Known): Record<string, { most: number; run: (db: Db) => Promise<unknown> }> {
  const owner = { clientId, id: 'own-1' };
  const order = { owner, eventTypes: [TEST_EVENT], maxAttempts: 40 };
  const window = { from: new Date(Date.now() - HOUR), to: new Date() };
  return {
    'a change': {
      most: 10,
      run: (tx) =>
        replaceSubscription(tx, {
          ...owner,
          callbackUrl: 'https://b.test/',
          eventTypes: ['Posting.CreatedV1'],
        }),
    },
    'whether it subscribed just now': { most: OWN + 20, run: (tx) => newSubscribers(tx, [clientId]) },
    'a deletion': { most: 10 + ENDED, run: (tx) => deleteSubscription(tx, owner) },
    'a test event': {
      most: 20 + DAYS,
      run: (db) =>
        sendTestEvent(
          { db: { management: db }, retention: { ensurePartitions: async () => {} } },
          { owner, now: new Date() },
        ),
    },
    'a delivery that is pending': { most: 10, run: (tx) => selectDelivery(tx, owner, pending) },
    'a delivery that was sent': { most: 10, run: (tx) => selectDelivery(tx, owner, sent) },
    'a repetition': { most: 20, run: (tx) => resumeDelivery(tx, { ...order, eventId: sent }) },
    'a replay': { most: 10, run: (tx) => selectReplay(tx, owner, replayId) },
    'a new replay': { most: 5 * ENDED, run: (db) => insertReplay(db, owner, window) },
    'the end of a pause': {
      most: 5 * ENDED,
      run: (db) => endPause(db, { clientId, id: 'own-2' }),
    },
    'a step of a replay, of those that run': {
      most: 5 * RUNNING,
      async run(tx) {
        const taken = await claimReplay(tx);
        if (taken === undefined) return undefined;
        await saveProgress(tx, taken, { phase: 'TIME', reached: null, isEnd: false, waitMs: 0 });
        return taken;
      },
    },
  };
}

/** Fills the tables for many clients, and more for one. @returns some ids of that one */
async function fill(pool: pg.Pool): Promise<Known> {
  const clientId = randomUUID();
  await pool.query(
    `INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at, status,
       paused_at, paused_reason)
     SELECT gen_random_uuid(), CASE WHEN n <= $1 THEN $3::uuid ELSE gen_random_uuid() END, 'own-' || n, '\\x01',
       'https://a.test/', '{${TEST_EVENT}}', now() - interval '2 days', CASE n WHEN 2 THEN 'PAUSED' ELSE 'ACTIVE' END,
       CASE n WHEN 2 THEN now() END, CASE n WHEN 2 THEN 'GONE' END
     FROM generate_series(1, $1::int + $2::int) AS n`,
    [OWN, OTHERS, clientId],
  );
  const replay = `INSERT INTO replay (id, subscription_id, client_id, cause, phase, status, from_time, to_time, started_at,
      finished_at)
    SELECT gen_random_uuid(), internal_id, client_id, 'RESUMED', 'TIME', $1::text, now(), now(),
      now() - n * interval '2 hours', CASE $1::text WHEN 'COMPLETED' THEN now() END FROM subscription, generate_series(1, $2) AS n`;
  await pool.query(`${replay} WHERE client_id <> $3`, ['COMPLETED', 4, clientId]);
  const { rows } = await pool.query<{ id: string }>(
    `${replay} WHERE client_id = $3 AND subscription.id IN ('own-1', 'own-2') ORDER BY subscription.id, n DESC RETURNING id`,
    ['COMPLETED', ENDED, clientId],
  );
  await pool.query(`${replay} WHERE client_id <> $3 AND substr(subscription.id, 5)::int <= $4`, [
    'RUNNING',
    1,
    clientId,
    OWN + RUNNING,
  ]);
  const { rows: events } = await pool.query<{ id: string }>(
    `WITH fresh AS (
       INSERT INTO event (id, type, time, audience, content)
       SELECT gen_random_uuid(), '${TEST_EVENT}', now() - n * interval '1 s', ARRAY[$2::uuid], '{}' FROM generate_series(1, $1::int) AS n
       RETURNING id, time
     ), logged AS (
       INSERT INTO delivery_log (subscription_id, event_time, event_id, status, attempts, made, finished_at)
       SELECT internal_id, time, fresh.id, 'delivered', 1, '[]', now() FROM fresh CROSS JOIN subscription
       WHERE client_id = $2 AND subscription.id = 'own-1'
     )
     SELECT id FROM fresh`,
    [SENT, clientId],
  );
  const { rows: waiting } = await pool.query<{ id: string }>(
    `WITH fresh AS (
       INSERT INTO event (id, type, time, audience, content)
       SELECT gen_random_uuid(), '${TEST_EVENT}', now() - n * interval '1 s', ARRAY[$2::uuid], '{}' FROM generate_series(1, $1::int) AS n
       RETURNING id, time
     ), due AS (
       INSERT INTO delivery (subscription_id, event_time, event_id)
       SELECT internal_id, time, fresh.id FROM fresh CROSS JOIN subscription WHERE client_id = $2 AND subscription.id = 'own-1'
     )
     SELECT id FROM fresh`,
    [SENT, clientId],
  );
  return { clientId, sent: events[0]!.id, pending: waiting[0]!.id, replayId: rows[0]!.id };
}
