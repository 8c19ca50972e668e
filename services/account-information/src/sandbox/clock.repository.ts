import type { Tx } from '@kontoport/database';
import type { PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import type { Clock, MovedClock } from './simulation.model.ts';

interface ClockRow {
  now: Date;
  offset_ms: string;
}

const clockOf = ([row]: ClockRow[]): Clock | undefined =>
  row && { now: row.now, offsetMs: Number(row.offset_ms) };

/**
 * What a client's clock shows; one that nobody moved shows our time. SQL (one statement): the time of the database is read with
 * the offset.
 */
export async function findClock(tx: Tx, { clientId }: PresentClient): Promise<Clock> {
  const { rows } = await tx.query<ClockRow>({
    name: 'find-clock',
    text: `SELECT client_now(client_id) AS now, clock_offset_ms AS offset_ms FROM sandbox_client WHERE client_id = $1::uuid`,
    values: [clientId],
  });
  return clockOf(rows) ?? { now: new Date(), offsetMs: 0 };
}

/**
 * Moves a client's clock on, and with it what ends by itself: what is due now waits behind what was due before. SQL (one
 * statement): it decides and moves both.
 * @returns undefined when it would be further ahead than `mostMs`
 */
export async function moveClock(
  tx: Tx,
  { clientId }: PresentClient,
  { byMs, mostMs }: { byMs: number; mostMs: number },
): Promise<Clock | undefined> {
  const { rows } = await tx.query<ClockRow>({
    name: 'move-clock',
    // The difference, since by the time alone the planner could read what waits of all clients.
    text: `WITH moved AS (
  UPDATE sandbox_client SET clock_offset_ms = clock_offset_ms + $2::bigint, moved_at = clock_timestamp()
  WHERE client_id = $1::uuid AND clock_offset_ms + $2::bigint <= $3::bigint
  RETURNING client_id, clock_offset_ms
), sooner AS (
  UPDATE sandbox_due
  SET due_at = greatest(ends_at - (SELECT clock_offset_ms FROM moved) * interval '1 millisecond', now())
  WHERE client_id = $1::uuid AND EXISTS (SELECT FROM moved) AND due_at - now() > interval '0'
)
SELECT now() + clock_offset_ms * interval '1 millisecond' AS now, clock_offset_ms AS offset_ms FROM moved`,
    values: [clientId, Math.trunc(byMs), mostMs],
  });
  return clockOf(rows);
}

/** Clocks that were moved at `since` or later, in the order of their moving, at most `limit`. */
export async function findMovedClocks(
  db: Db,
  { since, limit }: { since: Date; limit: number },
): Promise<MovedClock[]> {
  const moved = await db.prisma.sandboxClient.findMany({
    where: { movedAt: { gte: since }, deletedAt: null },
    orderBy: [{ movedAt: 'asc' }, { clientId: 'asc' }],
    take: limit,
  });
  return moved.map(({ clientId, clockOffsetMs, movedAt }) => ({
    clientId,
    offsetMs: Number(clockOffsetMs),
    movedAt: movedAt!,
  }));
}
