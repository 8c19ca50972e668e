import type { Tx } from '@kontoport/database';
import { MAX_ATTEMPTS } from '../deliveries/delivery.model.ts';
import {
  boundsOf,
  type ClaimedReplay,
  deliversFrom,
  type ReplayPhase,
  type ReplayProgress,
  STEP,
  type WalkedEvents,
} from './replay-step.model.ts';
import type { ReplayCause } from './replay.model.ts';

interface Row {
  id: string;
  subscription_id: string;
  client_id: string;
  cause: ReplayCause;
  phase: ReplayPhase;
  waits_for: string[] | null;
  from_time: Date;
  to_time: Date;
  reached_time: Date | null;
  reached_id: string | null;
  subscription_status: string;
  event_types: string[];
  created_at: Date;
}

/**
 * Claims a replay whose next step is due, until the end of the transaction: one of the client that has waited longest.
 * SQL: a claim.
 */
export async function claimReplay(tx: Tx): Promise<ClaimedReplay | undefined> {
  const { rows } = await tx.query<Row>({
    name: 'take-replay',
    text: `
      SELECT r.id, r.subscription_id, r.client_id, r.cause, r.phase, r.waits_for, r.from_time, r.to_time, r.reached_time,
        r.reached_id, s.status AS subscription_status, s.event_types, s.created_at
      FROM replay r CROSS JOIN LATERAL (
        SELECT status, event_types, created_at FROM subscription WHERE internal_id = r.subscription_id OFFSET 0
      ) AS s
      WHERE r.status = 'RUNNING' AND r.step_at <= now()
      ORDER BY (
        SELECT max(o.stepped_at) FROM replay o WHERE o.client_id = r.client_id AND o.status = 'RUNNING'
      ) NULLS FIRST, r.stepped_at NULLS FIRST
      LIMIT 1 FOR UPDATE OF r SKIP LOCKED`,
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { reached_time: at, reached_id: id } = row;
  return {
    id: row.id,
    cause: row.cause,
    phase: row.phase,
    waitsFor: row.waits_for,
    from: row.from_time,
    to: row.to_time,
    reached: at === null || id === null ? null : { at, id },
    subscriptionId: row.subscription_id,
    clientId: row.client_id,
    subscriptionStatus: row.subscription_status,
    eventTypes: row.event_types,
    subscribedAt: row.created_at,
  };
}

/** Deletes the replay of a deleted subscription. SQL: it belongs to the transaction of the claim. */
export async function dropReplay(tx: Tx, { id }: ClaimedReplay): Promise<void> {
  await tx.query('DELETE FROM replay WHERE id = $1', [id]);
}

/**
 * Finds the transactions that record events now. Each locks the table before it reads anything, so a later one sees all that was
 * committed before.
 * SQL: a lock carries the guarantee.
 */
export async function findRecordingTransactions(tx: Tx): Promise<string[]> {
  const { rows } = await tx.query<{ one: string }>({
    name: 'recording-transactions',
    text: `
      SELECT DISTINCT virtualtransaction AS one FROM pg_locks
      WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND relation = 'event'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  });
  return rows.map(({ one }) => one);
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Condition: the subscription $1 has no row of an event. EXISTS would be a join, and the planner could read all rows of the
 * subscription.
 */
const noneIn = (table: string, event: string): string =>
  `(SELECT count(*) FROM ${table}
    WHERE subscription_id = $1 AND event_time = ${event}.time AND event_id = ${event}.id) = 0`;

const pendingUpTo = (most: string, condition = ''): string =>
  `(SELECT count(*) FROM (SELECT FROM delivery WHERE subscription_id = $1 ${condition} LIMIT ${most}) AS up_to)`;

const walkText = (at: 'time' | 'recorded_at', condition: string): string => `
  WITH room AS MATERIALIZED (
    SELECT greatest(0, least(
      $8 - ${pendingUpTo('$8', 'AND due_at <= now()')}, $9 - ${pendingUpTo('$9')}
    ))::int AS deliveries
  ), scanned AS MATERIALIZED (
    SELECT ${at} AS at, id, time, type, audience, recorded_at FROM event
    WHERE (${at}, id) > ($4::timestamptz, $5::uuid) AND ${at} >= $4::timestamptz AND ${at} < $6::timestamptz ${condition}
      AND (SELECT deliveries FROM room) > 0
    ORDER BY ${at}, id LIMIT $7
  ), matched AS MATERIALIZED (
    SELECT at, id, time FROM scanned
    WHERE type = ANY ($2::text[]) AND $3::uuid = ANY (audience) AND ${noneIn('delivery', 'scanned')}
      AND ($10::timestamptz IS NULL OR
        (recorded_at >= $10 AND recorded_at <= $11 AND time >= $12 AND ${noneIn('delivery_log', 'scanned')}))
    ORDER BY at, id LIMIT (SELECT deliveries FROM room)
  )
  SELECT room.deliveries AS room, (SELECT count(*)::int FROM scanned) AS scanned, last.at AS last_at, last.id AS last_id,
    matched.at, matched.id, matched.time
  FROM room LEFT JOIN (SELECT at, id FROM scanned ORDER BY at DESC, id DESC LIMIT 1) AS last ON true
  LEFT JOIN matched ON true ORDER BY matched.at, matched.id`;

/** The condition of their index. */
const LATE = "AND (recorded_at - time) > INTERVAL '10 minutes'";

const WALKS = {
  TIME: { name: 'walk-by-time', text: walkText('time', '') },
  LATE: { name: 'walk-by-recording', text: walkText('recorded_at', LATE) },
};

/**
 * Reads the next events of a walk, and selects those of the client with these types and no pending delivery; after a pause only
 * those that were recorded during it and have no delivery.
 * SQL: a keyset page.
 */
export async function walkEvents(
  tx: Tx,
  replay: ClaimedReplay & { phase: 'LATE' | 'TIME' },
  types: readonly string[],
): Promise<WalkedEvents> {
  const bounds = boundsOf(replay);
  const { at, id } = replay.reached ?? { at: bounds.from, id: NO_ID };
  const during =
    replay.cause === 'RESUMED' ? [replay.from, replay.to, deliversFrom(replay)] : [null, null, null];
  const { rows } = await tx.query<{
    room: number;
    scanned: number;
    last_at: Date | null;
    last_id: string;
    at: Date | null;
    id: string;
    time: Date;
  }>({
    ...WALKS[replay.phase],
    values: [
      replay.subscriptionId,
      types,
      replay.clientId,
      at,
      id,
      bounds.to,
      STEP.events,
      STEP.due,
      STEP.pending,
      ...during,
    ],
  });
  const { room, scanned, last_at: lastAt, last_id: lastId } = rows[0]!;
  return {
    room,
    scanned,
    last: lastAt === null ? undefined : { at: lastAt, id: lastId },
    matched: rows.flatMap((row) => (row.at === null ? [] : { at: row.at, id: row.id, time: row.time })),
  };
}

/**
 * Makes due deliveries of these events. A finished delivery begins its schedule again, unless it has had all its attempts; a pending
 * one does not change.
 * SQL: a batch.
 * @returns how many were made
 */
export async function redeliver(
  tx: Tx,
  subscriptionId: string,
  events: readonly { id: string; time: Date }[],
): Promise<number> {
  if (events.length === 0) return 0;
  const times = events.map(({ time }) => time.getTime());
  const { rowCount } = await tx.query({
    name: 'deliver-again',
    text: `
      WITH given AS (SELECT * FROM unnest($2::timestamptz[], $3::uuid[]) AS g (time, id)), ended AS (
        DELETE FROM delivery_log USING given
        WHERE subscription_id = $1 AND event_time = given.time AND event_id = given.id AND attempts < $4
          AND event_time >= $5::timestamptz AND event_time <= $6::timestamptz
        RETURNING event_time, event_id, attempts, delivery_log.made
      )
      INSERT INTO delivery (subscription_id, event_time, event_id, attempts, made)
      SELECT $1, event_time, event_id, attempts, made FROM ended
      UNION ALL
      SELECT $1, given.time, given.id, 0, '[]' FROM given
      WHERE ${noneIn('delivery_log', 'given')} AND ${noneIn('delivery', 'given')}
      ON CONFLICT (subscription_id, event_time, event_id) DO NOTHING`,
    values: [
      subscriptionId,
      events.map(({ time }) => time),
      events.map(({ id }) => id),
      MAX_ATTEMPTS,
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
    ],
  });
  return rowCount ?? 0;
}

/** Stores the progress of a step. After a pause the range ends when the last transaction that saw the pause has ended. SQL: it belongs to the transaction of the claim, with the clock of the database. */
export async function saveProgress(
  tx: Tx,
  { id, phase }: ClaimedReplay,
  progress: ReplayProgress & { events?: number; deliveries?: number; waitsFor?: readonly string[] },
): Promise<void> {
  const { reached, isEnd, waitMs, events = 0, deliveries = 0, waitsFor = null } = progress;
  const isSettled = phase === 'SETTLING' && progress.phase !== 'SETTLING';
  await tx.query({
    name: 'keep-replay',
    text: `
      UPDATE replay SET phase = $2, reached_time = $3, reached_id = $4, events = events + $5, deliveries = deliveries + $6,
        waits_for = $7, stepped_at = clock_timestamp(), step_at = clock_timestamp() + $8 * interval '1 millisecond',
        to_time = CASE WHEN $9 THEN clock_timestamp() ELSE to_time END,
        status = CASE WHEN $10 THEN 'COMPLETED' ELSE status END,
        finished_at = CASE WHEN $10 THEN clock_timestamp() END
      WHERE id = $1`,
    values: [
      id,
      progress.phase,
      reached?.at ?? null,
      reached?.id ?? null,
      events,
      deliveries,
      waitsFor,
      waitMs,
      isSettled,
      isEnd,
    ],
  });
}
