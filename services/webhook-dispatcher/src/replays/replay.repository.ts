import { randomUUID } from 'node:crypto';
import type { Db, PrismaTx } from '../gen/db.ts';
import type { Replay as ReplayRow } from '../gen/prisma/client.ts';
import type { LogOwner } from '../log/delivery-log.model.ts';
import { LIVE } from '../subscriptions/subscription.repository.ts';
import { MAX_REPLAYS, type Replay, type ReplayWindow } from './replay.model.ts';

const HOUR_MS = 3_600_000;

/** The reason of a refused replay; `seconds` until one may begin. */
export type ReplayRefusal =
  | { refused: 'unknown' | 'paused' | 'running' | 'too many at once' }
  | { refused: 'too often'; seconds: number };

/**
 * Begins a replay of the owner's own subscription. SQL: a lock: replays of one client begin one after another, so that the limits
 * hold.
 */
export function insertReplay(
  db: Db,
  { clientId, id }: LogOwner,
  { from, to }: ReplayWindow,
): Promise<Replay | ReplayRefusal> {
  return db.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${clientId}, 0))`;
    const subscription = await tx.subscription.findFirst({ where: { clientId, id, ...LIVE } });
    if (subscription === null) return { refused: 'unknown' };
    if (subscription.status === 'PAUSED') return { refused: 'paused' };
    const { internalId: subscriptionId } = subscription;
    const refusal = await refusalOf(tx, { clientId, subscriptionId });
    if (refusal !== undefined) return refusal;
    const row = await tx.replay.create({
      data: {
        id: randomUUID(),
        subscriptionId,
        clientId,
        cause: 'ASKED',
        phase: 'TIME',
        fromTime: from,
        toTime: to,
      },
    });
    await dropOldReplays(tx, subscriptionId);
    return toReplay(row);
  });
}

async function refusalOf(
  tx: PrismaTx,
  { clientId, subscriptionId }: { clientId: string; subscriptionId: string },
): Promise<ReplayRefusal | undefined> {
  // All replays of the subscription: with a condition of the status the planner could read the running ones of everybody.
  const replays = await tx.replay.findMany({ where: { subscriptionId }, orderBy: { startedAt: 'asc' } });
  if (replays.some(({ status }) => status === 'RUNNING')) return { refused: 'running' };
  const running = await tx.replay.count({ where: { clientId, status: 'RUNNING', cause: 'ASKED' } });
  if (running >= MAX_REPLAYS.atOnce) return { refused: 'too many at once' };
  // The clock that set `startedAt`.
  const [{ now }] = await tx.$queryRaw<[{ now: Date }]>`SELECT clock_timestamp() AS now`;
  const waits = replays
    .filter(({ cause }) => cause === 'ASKED')
    .map(({ startedAt }) => startedAt.getTime() + HOUR_MS - now.getTime())
    .filter((waitMs) => waitMs > 0);
  if (waits.length < MAX_REPLAYS.anHour) return undefined;
  return { refused: 'too often', seconds: Math.max(1, Math.ceil(waits[0]! / 1_000)) };
}

/** Deletes old completed replays; keeps the last ones, and those that count for the hourly limit. SQL: a batch. */
async function dropOldReplays(tx: PrismaTx, subscriptionId: string): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM replay WHERE subscription_id = ${subscriptionId}::uuid AND status = 'COMPLETED'
      AND (cause <> 'ASKED' OR started_at <= now() - interval '1 hour') AND id NOT IN (
      SELECT id FROM replay WHERE subscription_id = ${subscriptionId}::uuid ORDER BY started_at DESC, id
      LIMIT ${MAX_REPLAYS.kept}
    )`;
}

/** Selects a replay of the owner's own live subscription. */
export async function selectReplay(
  { prisma }: Db,
  { clientId, id }: LogOwner,
  replayId: string,
): Promise<Replay | undefined> {
  const own = await prisma.subscription.findFirst({
    where: { clientId, id, ...LIVE },
    select: { internalId: true },
  });
  if (own === null) return undefined;
  const where = { id: replayId, subscriptionId: own.internalId };
  const row = await prisma.replay.findUnique({ where });
  return row === null ? undefined : toReplay(row);
}

function toReplay({ fromTime: from, toTime: to, ...row }: ReplayRow): Replay {
  return { ...row, from, to } as Replay;
}

/**
 * Ends the pause of the owner's own subscription, and begins the replay of the events recorded during it. If the replay of the
 * previous pause still runs, it begins again and covers both pauses.
 * SQL: a lock; and an upsert by the clock of the database, which also records the events.
 * @returns the replay, or nothing when the subscription is not paused
 */
export function endPause(db: Db, { clientId, id }: LogOwner): Promise<string | undefined> {
  return db.prisma.$transaction(async (tx) => {
    const [paused] = await tx.$queryRaw<{ internalId: string; pausedAt: Date }[]>`
      SELECT internal_id AS "internalId", paused_at AS "pausedAt" FROM subscription
      WHERE client_id = ${clientId}::uuid AND id = ${id} AND status = 'PAUSED' FOR UPDATE`;
    if (paused === undefined) return undefined;
    const { internalId, pausedAt } = paused;
    await tx.subscription.update({
      where: { internalId },
      data: {
        status: 'ACTIVE',
        pausedAt: null,
        pausedReason: null,
        outages: 0,
        retryAt: null,
        failures: 0,
        failingSince: null,
      },
      select: { internalId: true },
    });
    const [begun] = await tx.$queryRaw<[{ id: string }]>`
      INSERT INTO replay (id, subscription_id, client_id, cause, phase, from_time, to_time)
      VALUES (${randomUUID()}::uuid, ${internalId}::uuid, ${clientId}::uuid, 'RESUMED', 'SETTLING', ${pausedAt}, now())
      ON CONFLICT (subscription_id, cause) WHERE status = 'RUNNING' DO UPDATE SET phase = 'SETTLING', waits_for = NULL,
        reached_time = NULL, reached_id = NULL, to_time = EXCLUDED.to_time, step_at = now()
      RETURNING id`;
    await dropOldReplays(tx, internalId);
    return begun.id;
  });
}
