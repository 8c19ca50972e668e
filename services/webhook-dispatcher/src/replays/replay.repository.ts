import { randomUUID } from 'node:crypto';
import { inTransaction, type Tx } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import type { LogOwner } from '../log/delivery-log.model.ts';
import { MAX_REPLAYS, type Replay, type ReplayWindow } from './replay.model.ts';

const FIELDS = `replay.id, replay.cause, replay.status, replay.from_time AS "from", replay.to_time AS "to", replay.events,
  replay.deliveries, replay.started_at AS "startedAt", replay.finished_at AS "finishedAt"`;

/** Why a replay did not begin; `seconds` until there may be one. */
export type ReplayRefusal =
  | { refused: 'unknown' | 'paused' | 'running' | 'too many at once' }
  | { refused: 'too often'; seconds: number };

interface Standing {
  internal_id: string;
  status: string;
  is_running: boolean;
  at_once: number;
  an_hour: number;
  seconds: number | null;
}

/**
 * Begins a replay of the owner's own subscription. Those of one client begin one after the other, so that the limits hold.
 */
export function insertReplay(
  db: Pick<Db, 'pool'>,
  { clientId, id }: LogOwner,
  { from, to }: ReplayWindow,
): Promise<Replay | ReplayRefusal> {
  return inTransaction(db, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [clientId]);
    const standing = await standingOf(tx, { clientId, id });
    const refusal = refusalOf(standing);
    if (refusal !== undefined) return refusal;
    const { rows } = await tx.query<Replay>(
      `INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time)
       VALUES ($1, $2, $3, 'ASKED', 'TIME', $4, $5) RETURNING ${FIELDS}`,
      [randomUUID(), standing!.internal_id, clientId, from, to],
    );
    await dropOldReplays(tx, standing!.internal_id);
    return rows[0]!;
  });
}

const ASKED_LATELY = "cause = 'ASKED' AND started_at > now() - interval '1 hour'";

async function standingOf(tx: Tx, { clientId, id }: LogOwner): Promise<Standing | undefined> {
  const { rows } = await tx.query<Standing>(
    // Of the subscription all that is kept: those that run alone the planner could look for among everybody's.
    `SELECT internal_id, status, recent.is_running,
       (SELECT count(*)::int FROM replay WHERE client_id = $1 AND replay.status = 'RUNNING' AND cause = 'ASKED') AS at_once,
       recent.an_hour, recent.seconds
     FROM subscription CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE replay.status = 'RUNNING') > 0 AS is_running,
         count(*) FILTER (WHERE ${ASKED_LATELY})::int AS an_hour,
         ceil(extract(epoch FROM min(started_at) FILTER (WHERE ${ASKED_LATELY}) + interval '1 hour' - now()))::int AS seconds
       FROM replay WHERE subscription_id = internal_id
     ) AS recent
     WHERE client_id = $1 AND id = $2 AND status <> 'DELETED'`,
    [clientId, id],
  );
  return rows[0];
}

function refusalOf(standing: Standing | undefined): ReplayRefusal | undefined {
  if (standing === undefined) return { refused: 'unknown' };
  if (standing.status === 'PAUSED') return { refused: 'paused' };
  if (standing.is_running) return { refused: 'running' };
  if (standing.at_once >= MAX_REPLAYS.atOnce) return { refused: 'too many at once' };
  const { an_hour: anHour, seconds } = standing;
  return anHour < MAX_REPLAYS.anHour ? undefined : { refused: 'too often', seconds: Math.max(1, seconds!) };
}

/** Of those that are over the last ones are kept, and those that count for the limit of an hour. */
async function dropOldReplays(tx: Tx, subscriptionId: string): Promise<void> {
  await tx.query(
    `DELETE FROM replay WHERE subscription_id = $1 AND status = 'COMPLETED'
       AND (cause <> 'ASKED' OR started_at <= now() - interval '1 hour') AND id NOT IN (
       SELECT id FROM replay WHERE subscription_id = $1 ORDER BY started_at DESC, id LIMIT $2
     )`,
    [subscriptionId, MAX_REPLAYS.kept],
  );
}

/** A replay of the owner's own live subscription. */
export async function selectReplay(
  tx: Tx,
  { clientId, id }: LogOwner,
  replayId: string,
): Promise<Replay | undefined> {
  const { rows } = await tx.query<Replay>(
    `SELECT ${FIELDS} FROM replay CROSS JOIN LATERAL (
       SELECT client_id, id, status FROM subscription WHERE internal_id = replay.subscription_id OFFSET 0
     ) AS own
     WHERE replay.id = $3 AND own.client_id = $1 AND own.id = $2 AND own.status <> 'DELETED'`,
    [clientId, id, replayId],
  );
  return rows[0];
}

/**
 * Ends the pause of the owner's own subscription, and begins the replay of what came meanwhile. When the replay of the pause
 * before still runs, it begins anew and goes over both.
 * @returns the replay, or nothing when the subscription is not paused
 */
export function endPause(db: Pick<Db, 'pool'>, { clientId, id }: LogOwner): Promise<string | undefined> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ internal_id: string; paused_at: Date }>(
      `SELECT internal_id, paused_at FROM subscription WHERE client_id = $1 AND id = $2 AND status = 'PAUSED' FOR UPDATE`,
      [clientId, id],
    );
    const [paused] = rows;
    if (paused === undefined) return undefined;
    const { internal_id: subscriptionId, paused_at: pausedAt } = paused;
    await tx.query(
      `UPDATE subscription SET status = 'ACTIVE', paused_at = NULL, paused_reason = NULL, outages = 0, retry_at = NULL,
         failures = 0, failing_since = NULL WHERE internal_id = $1`,
      [subscriptionId],
    );
    const begun = await tx.query<{ id: string }>(
      `INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time)
       VALUES ($1, $2, $3, 'RESUMED', 'SETTLING', $4, now())
       ON CONFLICT (subscription_id, cause) WHERE status = 'RUNNING' DO UPDATE SET phase = 'SETTLING', waits_for = NULL,
         reached_time = NULL, reached_id = NULL, to_time = EXCLUDED.to_time, step_at = now()
       RETURNING id`,
      [randomUUID(), subscriptionId, clientId, pausedAt],
    );
    await dropOldReplays(tx, subscriptionId);
    return begun.rows[0]!.id;
  });
}
