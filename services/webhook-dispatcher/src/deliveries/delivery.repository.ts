import type { Tx } from '@kontoport/database';
import type { ClaimedLane, DueDelivery, LaneClaim, OutcomeToRecord } from './delivery.model.ts';

/** The lanes that have pending deliveries, with their earliest due time: one index probe for each lane. */
const WAITING = `
  WITH RECURSIVE waiting AS (
    (SELECT subscription_id, due_at FROM delivery WHERE status = 'pending'
     ORDER BY subscription_id, due_at LIMIT 1)
    UNION ALL
    SELECT following.* FROM waiting CROSS JOIN LATERAL (
      SELECT subscription_id, due_at FROM delivery
      WHERE status = 'pending' AND subscription_id > waiting.subscription_id
      ORDER BY subscription_id, due_at LIMIT 1
    ) AS following
  )`;

/** Claims lanes that have something due and that nobody holds, the longest waiting first. */
export async function claimLanes(
  tx: Tx,
  options: { claimId: string; leaseMs: number; limit: number },
): Promise<ClaimedLane[]> {
  const { rows } = await tx.query<{
    internal_id: string;
    client_id: string;
    callback_url: string;
    sealed_key: Buffer;
  }>({
    name: 'claim-lanes',
    text: `${WAITING}, free AS (
        SELECT s.internal_id FROM waiting JOIN subscription s ON s.internal_id = waiting.subscription_id
        WHERE waiting.due_at <= now() AND s.status = 'ACTIVE' AND (s.lease_until IS NULL OR s.lease_until < now())
        ORDER BY waiting.due_at LIMIT $3
        FOR UPDATE OF s SKIP LOCKED
      )
      UPDATE subscription s SET claim_id = $1, lease_until = now() + $2 * interval '1 millisecond'
      FROM free WHERE s.internal_id = free.internal_id
      RETURNING s.internal_id, s.client_id, s.callback_url, s.sealed_key`,
    values: [options.claimId, options.leaseMs, options.limit],
  });
  return rows.map((row) => ({
    subscriptionId: row.internal_id,
    clientId: row.client_id,
    callbackUrl: row.callback_url,
    sealedKey: row.sealed_key,
  }));
}

/** Prolongs the leases. @returns the subscriptions that are still held under their claim; the others are lost */
export async function renewLeases(
  tx: Tx,
  lanes: readonly LaneClaim[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await tx.query<{ internal_id: string }>({
    name: 'renew-leases',
    text: `
      UPDATE subscription s SET lease_until = now() + $3 * interval '1 millisecond'
      FROM unnest($1::uuid[], $2::uuid[]) AS held (subscription_id, claim_id)
      WHERE s.internal_id = held.subscription_id AND s.claim_id = held.claim_id
      RETURNING s.internal_id`,
    values: [...columns(lanes), leaseMs],
  });
  return new Set(rows.map(({ internal_id }) => internal_id));
}

/** Gives lanes back, for anybody to claim. */
export async function releaseLanes(tx: Tx, lanes: readonly LaneClaim[]): Promise<void> {
  await tx.query({
    name: 'release-lanes',
    text: `
      UPDATE subscription s SET claim_id = NULL, lease_until = NULL
      FROM unnest($1::uuid[], $2::uuid[]) AS held (subscription_id, claim_id)
      WHERE s.internal_id = held.subscription_id AND s.claim_id = held.claim_id`,
    values: columns(lanes),
  });
}

/**
 * What is due in lanes that are held, at most `wanted` for each.
 * @param options.busy ids of deliveries that are in hand already; as a subquery, since only that is hashed
 */
export async function findDue(
  tx: Tx,
  options: { lanes: readonly (LaneClaim & { wanted: number })[]; busy: readonly string[] },
): Promise<DueDelivery[]> {
  const { lanes, busy } = options;
  const { rows } = await tx.query<{
    id: string;
    subscription_id: string;
    body: Buffer;
    attempts: number;
    traceparent: string | null;
  }>({
    name: 'find-due',
    text: `
      SELECT due.*, (SELECT traceparent FROM event WHERE event.id = due.event_id)
      FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS held (subscription_id, claim_id, wanted)
      JOIN subscription s ON s.internal_id = held.subscription_id AND s.claim_id = held.claim_id
      CROSS JOIN LATERAL (
        SELECT id, subscription_id, event_id, body, attempts FROM delivery
        WHERE subscription_id = held.subscription_id AND status = 'pending' AND due_at <= now()
          AND id NOT IN (SELECT unnest($4::bigint[]))
        ORDER BY due_at, id LIMIT held.wanted
      ) AS due`,
    values: [...columns(lanes), lanes.map(({ wanted }) => wanted), busy],
  });
  return rows.map(({ subscription_id: subscriptionId, id, body, attempts, traceparent }) => ({
    id,
    subscriptionId,
    body,
    attempts,
    traceparent,
  }));
}

/**
 * Writes attempts and what follows from them, in one statement. An outcome whose claim was lost, or whose delivery has
 * moved on, changes nothing. The ids are given twice, and a pending delivery is told by `finished_at` instead of its
 * status, so that the planner has one way only: with statistics from an empty queue it would walk the index of pending
 * deliveries, all of it, for each outcome.
 * @returns the ids of the deliveries whose outcome was taken
 */
export async function recordOutcomes(tx: Tx, outcomes: readonly OutcomeToRecord[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ delivery_id: string }>({
    name: 'record-outcomes',
    text: `
      WITH given AS (
        SELECT g.* FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::int[],
            $7::text[], $8::smallint[], $9::text[], $10::bigint[], $11::boolean[])
          AS g (subscription_id, claim_id, delivery_id, attempts, started_at, milliseconds,
            outcome, http_status, status, wait_ms, pause)
        JOIN subscription s ON s.internal_id = g.subscription_id AND s.claim_id = g.claim_id
      ), moved AS (
        UPDATE delivery d SET
          attempts = d.attempts + 1,
          status = given.status,
          due_at = CASE WHEN given.status = 'pending' THEN now() + given.wait_ms * interval '1 millisecond'
            ELSE d.due_at END,
          finished_at = CASE WHEN given.status = 'pending' THEN NULL ELSE now() END
        FROM given
        WHERE d.id = ANY ($3::bigint[]) AND d.id = given.delivery_id
          AND d.finished_at IS NULL AND d.attempts = given.attempts
        RETURNING d.id, d.attempts, given.started_at, given.milliseconds, given.outcome, given.http_status
      ), paused AS (
        UPDATE subscription SET status = 'PAUSED', claim_id = NULL, lease_until = NULL
        WHERE status = 'ACTIVE' AND internal_id IN (SELECT subscription_id FROM given WHERE pause)
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
 * Drops pending deliveries of deleted subscriptions, `limit` at most: a backlog may be larger than one statement
 * should touch. They are not sent any more from the moment of the deletion.
 * @returns how many
 */
export async function dropPending(tx: Tx, limit: number): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'drop-pending',
    text: `${WAITING}, dropped AS (
      DELETE FROM delivery WHERE id = ANY (ARRAY(
        SELECT d.id FROM waiting
        JOIN subscription s ON s.internal_id = waiting.subscription_id AND s.status = 'DELETED'
        CROSS JOIN LATERAL (
          SELECT id FROM delivery WHERE subscription_id = s.internal_id AND status = 'pending'
          ORDER BY subscription_id, due_at, id LIMIT $1
        ) AS d
        LIMIT $1
      )) RETURNING id
    ), attempts AS (
      DELETE FROM attempt WHERE delivery_id = ANY (ARRAY(SELECT id FROM dropped))
    )
    SELECT id FROM dropped`,
    values: [limit],
  });
  return rowCount ?? 0;
}

function columns(lanes: readonly LaneClaim[]): [string[], string[]] {
  return [lanes.map(({ subscriptionId }) => subscriptionId), lanes.map(({ claimId }) => claimId)];
}
