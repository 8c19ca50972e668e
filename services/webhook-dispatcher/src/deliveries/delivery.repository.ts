import { listParameter as list, type Tx } from '@kontoport/database';
import type { DeliveryKey, DueDelivery, OutcomeToRecord, QueueClaim } from './delivery.model.ts';
import { columns, QueueWalk, WAITING } from './subscription-queue.repository.ts';

/**
 * Finds due deliveries of the queues that this process holds, at most `wanted` for each. A queue whose callback was changed returns
 * the new one (§4.6).
 * SQL: a batch; `busy` is a subquery, because PostgreSQL hashes only that.
 * @param options.busy deliveries that this process already has
 */
export async function findDue(
  tx: Tx,
  options: {
    queues: readonly (QueueClaim & { wanted: number; callbackUrl: string })[];
    busy: readonly DeliveryKey[];
  },
): Promise<DueDelivery[]> {
  const { queues, busy } = options;
  const { rows } = await tx.query<{
    subscription_id: string;
    event_id: string;
    place: string;
    attempts: number;
    step: number;
    content: string;
    traceparent: string | null;
    callback_url: string | null;
  }>({
    name: 'find-due',
    text: `
      SELECT due.subscription_id, due.event_id, due.place, due.attempts, due.step, event.content, event.traceparent,
        nullif(s.callback_url, held.callback_url) AS callback_url
      FROM unnest(${list(1, 'uuid')}, ${list(2, 'uuid')}, ${list(3, 'int')}, ${list(4, 'text')}) AS held (subscription_id, claim_id, wanted, callback_url)
      CROSS JOIN LATERAL (
        SELECT claim_id, callback_url FROM subscription WHERE internal_id = held.subscription_id OFFSET 0
      ) AS s
      CROSS JOIN LATERAL (
        SELECT ctid::text AS place, subscription_id, event_id, event_time, attempts, step FROM delivery
        WHERE subscription_id = held.subscription_id AND due_at <= now()
          AND (subscription_id, event_id) NOT IN (SELECT * FROM unnest(${list(5, 'uuid')}, ${list(6, 'uuid')}))
        ORDER BY due_at, event_time LIMIT held.wanted
      ) AS due
      CROSS JOIN LATERAL (
        SELECT content, traceparent FROM event WHERE id = due.event_id AND time = due.event_time OFFSET 0
      ) AS event
      WHERE held.claim_id = s.claim_id`,
    values: [
      ...columns(queues),
      queues.map(({ wanted }) => wanted),
      queues.map(({ callbackUrl }) => callbackUrl),
      busy.map(({ subscriptionId }) => subscriptionId),
      busy.map(({ eventId }) => eventId),
    ],
  });
  return rows.map(
    ({ subscription_id: subscriptionId, event_id: eventId, callback_url: callbackUrl, ...rest }) => ({
      ...rest,
      subscriptionId,
      eventId,
      callbackUrl,
    }),
  );
}

/** Condition: the row at the place is still the delivery that was sent, and no other process has sent it since. */
const SAME =
  'd.subscription_id = given.subscription_id AND d.event_id = given.event_id AND d.attempts = given.attempts';

/** The columns of outcomes, a list each. */
const OUTCOME_LISTS = [
  'uuid',
  'uuid',
  'tid',
  'uuid',
  'smallint',
  'jsonb',
  'text',
  'bigint',
  'boolean',
  'text',
]
  .map((type, at) => list(at + 1, type))
  .join(', ');

/** Condition: the partition of the event exists. A row without one would fail the whole batch. */
const IS_KEPT =
  "to_regclass('delivery_log_' || to_char(event_time AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL";

/**
 * Writes the outcomes of attempts in one statement. A finished delivery moves to the log while its day is kept. An outcome changes
 * nothing if its claim was lost or its delivery was sent since. Outcomes of attempts that were in flight at a pause are stored,
 * although a paused subscription has no claim. A 410 of a previous callback pauses nothing.
 * The statement goes to each row by its `ctid`: with statistics of an empty queue the planner would read all pending deliveries, or
 * all subscriptions, for each batch.
 * SQL: a batch.
 * @returns those that were stored
 */
export async function recordOutcomes(
  tx: Tx,
  outcomes: readonly OutcomeToRecord[],
): Promise<Set<OutcomeToRecord>> {
  const { rows } = await tx.query<{ number: string }>({
    name: 'record-outcomes',
    text: `
      WITH given AS MATERIALIZED (
        SELECT g.* FROM unnest(${OUTCOME_LISTS}) WITH ORDINALITY
          AS g (subscription_id, claim_id, place, event_id, attempts, made, status, wait_ms, pause, callback_url, number)
        WHERE g.claim_id = (
          SELECT CASE s.status WHEN 'PAUSED' THEN g.claim_id ELSE s.claim_id END FROM subscription s
          WHERE s.internal_id = g.subscription_id
        )
      ), moved AS (
        UPDATE delivery d SET attempts = d.attempts + 1, step = d.step + 1, made = d.made || given.made,
          due_at = now() + given.wait_ms * interval '1 millisecond'
        FROM given
        WHERE d.ctid = given.place AND ${SAME} AND given.status = 'pending'
        RETURNING given.number
      ), ended AS (
        DELETE FROM delivery d USING given
        WHERE d.ctid = given.place AND ${SAME} AND given.status <> 'pending'
        RETURNING given.number, given.status, d.subscription_id, d.event_time, d.event_id, d.attempts + 1 AS attempts,
          d.made || given.made AS made
      ), logged AS (
        INSERT INTO delivery_log AS l (subscription_id, event_time, event_id, status, attempts, made, finished_at)
        SELECT subscription_id, event_time, event_id, status, attempts, made, now() FROM ended WHERE ${IS_KEPT}
        ON CONFLICT (subscription_id, event_time, event_id) DO UPDATE SET
          status = EXCLUDED.status, attempts = EXCLUDED.attempts, made = EXCLUDED.made, finished_at = EXCLUDED.finished_at
      ), paused AS (
        UPDATE subscription s SET status = 'PAUSED', paused_at = now(), paused_reason = 'GONE', claim_id = NULL, lease_until = NULL
        WHERE status = 'ACTIVE' AND internal_id = ANY (ARRAY(SELECT subscription_id FROM given WHERE pause))
          AND callback_url = ANY (ARRAY(
            SELECT given.callback_url FROM given WHERE pause AND given.subscription_id = s.internal_id
          ))
      )
      SELECT number FROM moved UNION ALL SELECT number FROM ended`,
    values: [
      ...columns(outcomes),
      outcomes.map(({ place }) => place),
      outcomes.map(({ eventId }) => eventId),
      outcomes.map(({ attempts }) => attempts),
      outcomes.map(({ made }) => JSON.stringify(made)),
      outcomes.map(({ next }) => next.status),
      outcomes.map(({ next }) => (next.status === 'pending' ? next.waitMs : null)),
      outcomes.map(({ pause }) => pause),
      outcomes.map(({ callbackUrl }) => callbackUrl),
    ],
  });
  return new Set(rows.map(({ number }) => outcomes[Number(number) - 1]!));
}

/**
 * Deletes pending deliveries of deleted subscriptions in the next part of a walk, at most `limit` in one statement. They are not
 * sent from the moment of the deletion.
 * @returns how many
 */
export async function dropPending(tx: Tx, limit: number, walk = new QueueWalk()): Promise<number> {
  const { dropped } = await dropNext(tx, {
    name: 'drop-pending',
    of: `SELECT ctid FROM delivery WHERE subscription_id = waiting.subscription_id
      AND (SELECT status FROM subscription WHERE internal_id = waiting.subscription_id) = 'DELETED'
      ORDER BY subscription_id, due_at`,
    limit,
    walk,
  });
  return dropped;
}

/** Deletes all pending deliveries of events before `time`, at most `limit` in one statement. @returns how many */
export async function dropPendingBefore(tx: Tx, time: string, limit = 5_000): Promise<number> {
  const walk = new QueueWalk();
  let sum = 0;
  for (;;) {
    const { dropped, isEnd } = await dropNext(tx, {
      name: 'drop-pending-before',
      of: `SELECT ctid FROM delivery WHERE subscription_id = waiting.subscription_id AND event_time < $4
        ORDER BY subscription_id, event_time`,
      values: [time],
      limit,
      walk,
    });
    sum += dropped;
    if (isEnd) return sum;
  }
}

/**
 * Deletes the next pending deliveries of a walk. SQL: a batch.
 * @param what.of places in the queue that is `waiting`, in the order of an index; its parameters begin with $4
 */
async function dropNext(
  tx: Tx,
  what: { name: string; of: string; values?: readonly string[]; limit: number; walk: QueueWalk },
): Promise<{ dropped: number; isEnd: boolean }> {
  const { name, of, values = [], limit, walk } = what;
  const { rows } = await tx.query<{ dropped: number; reached: string | null }>({
    name,
    text: `${WAITING}, dropped AS (
      DELETE FROM delivery WHERE ctid = ANY (ARRAY(
        SELECT d.ctid FROM waiting CROSS JOIN LATERAL (${of} LIMIT $3) AS d LIMIT $3
      )) RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM dropped) AS dropped, reached FROM walked`,
    values: [walk.after, walk.most, limit, ...values],
  });
  const { dropped, reached } = rows[0]!;
  // There may be more of the same queues.
  if (dropped === limit) return { dropped, isEnd: false };
  walk.goOn(reached);
  return { dropped, isEnd: reached === null };
}
