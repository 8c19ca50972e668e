import type { Tx } from '@kontoport/database';
import type {
  ClaimedQueue,
  QueueClaim,
  QueueRelease,
  QueueToClaim,
  ReceiverState,
} from './delivery.model.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
/** An organization may have a hundred thousand silent queues: one statement over all of them would not end in time. */
const QUEUES_PER_WALK = 10_000;

/** A cursor over all queues with pending deliveries: each statement reads some of them, and after the last it begins again. */
export class QueueWalk {
  readonly most: number;
  /** The subscription after which it goes on. */
  after = FIRST;

  constructor(most = QUEUES_PER_WALK) {
    this.most = most;
  }

  /** Whether a round has ended. */
  get isAtBeginning(): boolean {
    return this.after === FIRST;
  }

  /** @param reached the last queue; null when there was no further one, so that it begins anew */
  goOn(reached: string | null): void {
    this.after = reached ?? FIRST;
  }
}

/**
 * The queues of a walk ($1 its `after`, $2 its `most`), with their earliest due time: one index probe for each queue; and the
 * one that was reached.
 */
export const WAITING = `
  WITH RECURSIVE waiting AS (
    (SELECT subscription_id, due_at, 1 AS number FROM delivery WHERE subscription_id > $1
     ORDER BY subscription_id, due_at LIMIT 1)
    UNION ALL
    SELECT following.*, waiting.number + 1 FROM waiting CROSS JOIN LATERAL (
      SELECT subscription_id, due_at FROM delivery
      WHERE subscription_id > waiting.subscription_id
      ORDER BY subscription_id, due_at LIMIT 1
    ) AS following
    WHERE waiting.number < $2
  ), walked AS (SELECT (SELECT subscription_id FROM waiting WHERE number = $2) AS reached)`;

/** A queue that may be claimed: it is free, and no outage makes it wait (ADR-0034). */
const FREE = `s.status = 'ACTIVE' AND (s.lease_until IS NULL OR s.lease_until < now())
  AND (s.retry_at IS NULL OR s.retry_at <= now())`;

/**
 * The value of a list of parameters for this subscription. A join would be the same, but leave the planner free to read all
 * subscriptions.
 */
const given = (column: string): string => `(${column})[array_position($1::uuid[], internal_id)]`;

/** A queue of the first two parameters, under its claim. */
const HELD = `internal_id = ANY ($1::uuid[]) AND claim_id = ${given('$2::uuid[]')}`;

/**
 * Finds queues of the next part of a walk that are free and have due deliveries: the first of each client before the
 * second of any.
 * SQL: measured; one index probe for each queue.
 */
export async function findWaitingQueues(
  tx: Tx,
  limit: number,
  walk = new QueueWalk(),
): Promise<QueueToClaim[]> {
  const { rows } = await tx.query<{ reached: string | null; internal_id: string | null; client_id: string }>({
    name: 'waiting-queues',
    text: `${WAITING}, free AS (
        SELECT s.internal_id, s.client_id, greatest(waiting.due_at, s.retry_at) AS since
        FROM waiting CROSS JOIN LATERAL (
          SELECT * FROM subscription WHERE internal_id = waiting.subscription_id OFFSET 0
        ) AS s
        WHERE waiting.due_at <= now() AND ${FREE}
      ), queued AS (
        SELECT *, row_number() OVER (PARTITION BY client_id ORDER BY since) AS place FROM free
      )
      SELECT reached, internal_id, client_id FROM walked
      LEFT JOIN (SELECT * FROM queued ORDER BY place, since LIMIT $3) AS first ON true ORDER BY place, since`,
    values: [walk.after, walk.most, limit],
  });
  walk.goOn(rows[0]!.reached);
  return rows.flatMap(({ internal_id: subscriptionId, client_id: clientId }) =>
    subscriptionId === null ? [] : { subscriptionId, clientId },
  );
}

/** The queues of a client that have pending deliveries. */
export interface ClientQueues {
  clientId: string;
  /** Milliseconds for which the oldest free queue has had due deliveries; 0 if there is none. */
  unclaimedMs: number;
  /** Whether any process holds one of them. */
  isHeld: boolean;
}

/**
 * Lists the clients of the next part of a walk: those with due deliveries in a free queue, and those with a claimed queue. A queue
 * that waits after an outage (ADR-0034), or is paused, has nothing due.
 * SQL: measured; one index probe for each queue.
 */
export async function inspectQueues(tx: Tx, walk: QueueWalk): Promise<ClientQueues[]> {
  const { rows } = await tx.query<{
    reached: string | null;
    client_id: string | null;
    age: number | null;
    is_held: boolean | null;
  }>({
    name: 'inspect-queues',
    text: `${WAITING}, known AS (
        SELECT s.client_id, s.lease_until >= now() AS is_held,
          CASE WHEN waiting.due_at <= now() AND ${FREE} THEN greatest(waiting.due_at, s.retry_at, s.lease_until) END AS since
        FROM waiting CROSS JOIN LATERAL (
          SELECT * FROM subscription WHERE internal_id = waiting.subscription_id OFFSET 0
        ) AS s
      )
      SELECT reached, client_id, age, is_held FROM walked LEFT JOIN (
        SELECT client_id, bool_or(is_held) AS is_held, (1000 * extract(epoch FROM now() - min(since)))::float8 AS age
        FROM known WHERE is_held OR since IS NOT NULL GROUP BY client_id
      ) AS clients ON true`,
    values: [walk.after, walk.most],
  });
  walk.goOn(rows[0]!.reached);
  return rows.flatMap(({ client_id: clientId, age, is_held: isHeld }) =>
    clientId === null ? [] : { clientId, unclaimedMs: age ?? 0, isHeld: isHeld ?? false },
  );
}

/** Claims those of the queues that are free. SQL: a claim of a batch. */
export async function claimQueues(
  tx: Tx,
  options: { subscriptionIds: readonly string[]; claimId: string; leaseMs: number },
): Promise<ClaimedQueue[]> {
  const { rows } = await tx.query<{
    internal_id: string;
    client_id: string;
    id: string;
    callback_url: string;
    sealed_key: Buffer;
    outages: number;
    failures: number;
  }>({
    name: 'claim-queues',
    text: `
      WITH free AS (
        SELECT s.internal_id FROM subscription s WHERE s.internal_id = ANY ($3::uuid[]) AND ${FREE}
        FOR UPDATE SKIP LOCKED
      )
      UPDATE subscription s SET claim_id = $1, lease_until = now() + $2 * interval '1 millisecond'
      WHERE s.internal_id = ANY (ARRAY(SELECT internal_id FROM free))
      RETURNING s.internal_id, s.client_id, s.id, s.callback_url, s.sealed_key, s.outages, s.failures`,
    values: [options.claimId, options.leaseMs, options.subscriptionIds],
  });
  return rows.map((row) => ({
    subscriptionId: row.internal_id,
    clientId: row.client_id,
    id: row.id,
    callbackUrl: row.callback_url,
    sealedKey: row.sealed_key,
    outages: row.outages,
    failures: row.failures,
  }));
}

/** Condition: the queue still has this callback. It may have changed since it was claimed, and then the receiver's state is outdated. */
const leadsThere = (column: string): string => `callback_url = ${given(column)}`;

/** Stores the state of a queue's receiver. @param at number of the first of `learned`'s parameters */
const keepLearned = (at: number): string => {
  const [outages, failures, failingMs, callbackUrl] = ['smallint', 'int', 'bigint', 'text'].map(
    (type, i) => `$${at + i}::${type}[]`,
  );
  const isStill = leadsThere(callbackUrl!);
  return `outages = CASE WHEN ${isStill} THEN ${given(outages!)} ELSE outages END,
    failures = CASE WHEN ${isStill} THEN ${given(failures!)} ELSE failures END,
    failing_since = CASE WHEN NOT ${isStill} THEN failing_since WHEN ${given(failures!)} > 0
      THEN coalesce(now() - ${given(failingMs!)} * interval '1 millisecond', failing_since, now()) END`;
};

const learned = (queues: readonly ReceiverState[]) => [
  queues.map(({ outages }) => outages),
  queues.map(({ failures }) => failures),
  queues.map((queue) => queue.failingMs ?? null),
  queues.map(({ callbackUrl }) => callbackUrl),
];

/**
 * Renews the leases, and stores the state of the receivers.
 * SQL: a batch.
 * @returns the subscriptions that are still held under their claim; the others are lost
 */
export async function renewLeases(
  tx: Tx,
  queues: readonly (QueueClaim & ReceiverState)[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await tx.query<{ internal_id: string }>({
    name: 'renew-leases',
    text: `
      UPDATE subscription SET lease_until = now() + $3 * interval '1 millisecond', ${keepLearned(4)}
      WHERE ${HELD} RETURNING internal_id`,
    values: [...columns(queues), leaseMs, ...learned(queues)],
  });
  return new Set(rows.map(({ internal_id }) => internal_id));
}

/** Releases queues, to be claimed once they have waited. SQL: a batch. */
export async function releaseQueues(tx: Tx, queues: readonly (QueueClaim & QueueRelease)[]): Promise<void> {
  await tx.query({
    name: 'release-queues',
    text: `
      UPDATE subscription SET claim_id = NULL, lease_until = NULL, ${keepLearned(4)},
        retry_at = CASE WHEN ${leadsThere('$7::text[]')} THEN now() + ${given('$3::int[]')} * interval '1 millisecond' END
      WHERE ${HELD}`,
    values: [...columns(queues), queues.map(({ waitMs }) => waitMs ?? null), ...learned(queues)],
  });
}

/**
 * Pauses subscriptions that have failed for `afterMs`: those that no process claims, and those of the given claims. A queue that
 * another process holds may have had a success that is not stored yet.
 * SQL: a batch.
 * @returns the subscriptions
 */
export async function pauseFailing(
  tx: Tx,
  options: { afterMs: number; minFailures: number; claims: readonly QueueClaim[] },
): Promise<string[]> {
  const { rows } = await tx.query<{ internal_id: string }>({
    name: 'pause-failing',
    text: `
      UPDATE subscription SET status = 'PAUSED', paused_at = now(), paused_reason = 'FAILURES',
        claim_id = NULL, lease_until = NULL
      WHERE status = 'ACTIVE' AND failing_since <= now() - $3 * interval '1 millisecond' AND failures >= $4
        AND (claim_id IS NULL OR lease_until < now() OR (${HELD}))
      RETURNING internal_id`,
    values: [...columns(options.claims), options.afterMs, options.minFailures],
  });
  return rows.map(({ internal_id: subscriptionId }) => subscriptionId);
}

/** Returns queues and their claims as two columns. */
export function columns(queues: readonly QueueClaim[]): [string[], string[]] {
  return [queues.map(({ subscriptionId }) => subscriptionId), queues.map(({ claimId }) => claimId)];
}
