import type { Tx } from '@kontoport/database';
import type { DueDelivery, OutcomeToRecord } from './delivery.model.ts';
import type { LaneClaim } from './lane.model.ts';
import { columns, LaneWalk, WAITING } from './lane.repository.ts';

/**
 * What is due in lanes that are held, at most `wanted` for each; with the callback of a lane that was changed (§4.6).
 * @param options.busy ids of deliveries that are in hand already; as a subquery, since only that is hashed
 */
export async function findDue(
  tx: Tx,
  options: {
    lanes: readonly (LaneClaim & { wanted: number; callbackUrl: string })[];
    busy: readonly string[];
  },
): Promise<DueDelivery[]> {
  const { lanes, busy } = options;
  const { rows } = await tx.query<{
    id: string;
    subscription_id: string;
    event_id: string;
    body: Buffer;
    attempts: number;
    traceparent: string | null;
    callback_url: string | null;
  }>({
    name: 'find-due',
    text: `
      SELECT due.*, (SELECT traceparent FROM event WHERE event.id = due.event_id),
        nullif(s.callback_url, held.callback_url) AS callback_url
      FROM unnest($1::uuid[], $2::uuid[], $3::int[], $5::text[]) AS held (subscription_id, claim_id, wanted, callback_url)
      CROSS JOIN LATERAL (
        SELECT claim_id, callback_url FROM subscription WHERE internal_id = held.subscription_id OFFSET 0
      ) AS s
      CROSS JOIN LATERAL (
        SELECT id, subscription_id, event_id, body, attempts FROM delivery
        WHERE subscription_id = held.subscription_id AND status = 'pending' AND due_at <= now()
          AND id NOT IN (SELECT unnest($4::bigint[]))
        ORDER BY due_at, id LIMIT held.wanted
      ) AS due
      WHERE held.claim_id = s.claim_id`,
    values: [
      ...columns(lanes),
      lanes.map(({ wanted }) => wanted),
      busy,
      lanes.map(({ callbackUrl }) => callbackUrl),
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

/**
 * Writes attempts and what follows from them, in one statement. An outcome whose claim was lost, or whose delivery has
 * moved on, changes nothing. The planner is left one way only, which is to find each row by its key and to write where it
 * was found: from statistics of an empty queue it would conclude to walk all pending deliveries, or all subscriptions,
 * for each batch. For the same reason a pending delivery is told by `finished_at` instead of its status.
 * @returns the ids of the deliveries whose outcome was taken
 */
export async function recordOutcomes(tx: Tx, outcomes: readonly OutcomeToRecord[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ delivery_id: string }>({
    name: 'record-outcomes',
    text: `
      WITH given AS MATERIALIZED (
        SELECT g.*, (
          SELECT d.ctid FROM delivery d
          WHERE d.id = g.delivery_id AND d.finished_at IS NULL AND d.attempts = g.attempts
        ) AS place
        FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::int[],
            $7::text[], $8::smallint[], $9::text[], $10::bigint[], $11::boolean[])
          AS g (subscription_id, claim_id, delivery_id, attempts, started_at, milliseconds,
            outcome, http_status, status, wait_ms, pause)
        WHERE g.claim_id = (SELECT s.claim_id FROM subscription s WHERE s.internal_id = g.subscription_id)
      ), moved AS (
        UPDATE delivery d SET
          attempts = d.attempts + 1,
          status = given.status,
          due_at = CASE WHEN given.status = 'pending' THEN now() + given.wait_ms * interval '1 millisecond'
            ELSE d.due_at END,
          finished_at = CASE WHEN given.status = 'pending' THEN NULL ELSE now() END
        FROM given
        WHERE d.ctid = given.place
        RETURNING d.id, d.attempts, given.started_at, given.milliseconds, given.outcome, given.http_status
      ), paused AS (
        UPDATE subscription SET status = 'PAUSED', claim_id = NULL, lease_until = NULL
        WHERE status = 'ACTIVE' AND internal_id = ANY (ARRAY(SELECT subscription_id FROM given WHERE pause))
      )
      INSERT INTO attempt (delivery_id, number, started_at, milliseconds, outcome, http_status)
      SELECT * FROM moved
      RETURNING delivery_id`,
    values: [
      ...columns(outcomes),
      outcomes.map(({ deliveryId }) => deliveryId),
      outcomes.map(({ attempts }) => attempts),
      outcomes.map(({ startedAt }) => startedAt),
      outcomes.map(({ milliseconds }) => milliseconds),
      outcomes.map(({ outcome }) => outcome),
      outcomes.map(({ httpStatus }) => httpStatus ?? null),
      outcomes.map(({ next }) => next.status),
      outcomes.map(({ next }) => (next.status === 'pending' ? next.waitMs : null)),
      outcomes.map(({ pause }) => pause),
    ],
  });
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

/**
 * Drops pending deliveries of deleted subscriptions in the next part of a walk, `limit` at most: a backlog may be larger
 * than one statement should touch. They are not sent any more from the moment of the deletion.
 * @returns how many
 */
export async function dropPending(tx: Tx, limit: number, walk = new LaneWalk()): Promise<number> {
  const { rows } = await tx.query<{ dropped: number; reached: string | null }>({
    name: 'drop-pending',
    text: `${WAITING}, dropped AS (
      DELETE FROM delivery WHERE id = ANY (ARRAY(
        SELECT d.id FROM waiting
        CROSS JOIN LATERAL (
          SELECT id FROM delivery WHERE subscription_id = waiting.subscription_id AND status = 'pending'
          ORDER BY subscription_id, due_at, id LIMIT $3
        ) AS d
        WHERE (SELECT status FROM subscription WHERE internal_id = waiting.subscription_id) = 'DELETED'
        LIMIT $3
      )) RETURNING id
    ), attempts AS (
      DELETE FROM attempt WHERE delivery_id = ANY (ARRAY(SELECT id FROM dropped))
    )
    SELECT (SELECT count(*)::int FROM dropped) AS dropped, reached FROM walked`,
    values: [walk.after, walk.most, limit],
  });
  const { dropped, reached } = rows[0]!;
  // There may be more of the same lanes.
  if (dropped < limit) walk.goOn(reached);
  return dropped;
}
