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
 * Reads a client's clock, which shows the real time until a client moves it. SQL (one statement): it reads the time of
 * the database with the offset.
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
 * Key of the advisory lock under which `moved_at` is written, until the transaction ends: moves commit in the order of
 * `moved_at`. Otherwise a reader that polls since its last `moved_at` would miss a move that commits after a later one.
 */
export const MOVES_LOCK = 0x6d6f7665;

/**
 * Advances the clock of a client's bank for all its clients. Transactions that become due queue behind the due ones. SQL
 * (lock): a client that joins concurrently waits and gets the new time. Rows of clients are locked in the order of
 * `noteDeleted`; those of deleted clients are not, because the sweep locks them before the bank.
 * @param tx a transaction
 * @returns undefined when the clock would be further ahead than `mostMs`
 */
export async function moveClock(
  tx: Tx,
  { clientId }: PresentClient,
  { byMs, mostMs }: { byMs: number; mostMs: number },
): Promise<Clock | undefined> {
  const locked = await tx.query<{ organization: string }>({
    name: 'lock-clock',
    text: `SELECT organization FROM sandbox_bank
WHERE organization = (SELECT organization FROM sandbox_client WHERE client_id = $1::uuid) FOR UPDATE`,
    values: [clientId],
  });
  const organization = locked.rows[0]?.organization;
  await tx.query({
    name: 'lock-members',
    text: 'SELECT FROM sandbox_client WHERE organization = $1 AND deleted_at IS NULL ORDER BY client_id FOR UPDATE',
    values: [organization],
  });
  await tx.query('SELECT pg_advisory_xact_lock($1)', [MOVES_LOCK]);
  const { rows } = await tx.query<ClockRow>({
    name: 'move-clock',
    // Compares the difference: for the time alone the planner could read the due rows of all banks.
    text: `WITH moved AS (
  UPDATE sandbox_bank SET clock_offset_ms = clock_offset_ms + $2::bigint
  WHERE organization = $1 AND clock_offset_ms + $2::bigint <= $3::bigint
  RETURNING organization, clock_offset_ms
), members AS (
  UPDATE sandbox_client SET clock_offset_ms = (SELECT clock_offset_ms FROM moved), moved_at = clock_timestamp()
  WHERE organization = $1 AND EXISTS (SELECT FROM moved) AND deleted_at IS NULL
), sooner AS (
  UPDATE sandbox_due
  SET due_at = greatest(ends_at - (SELECT clock_offset_ms FROM moved) * interval '1 millisecond', now())
  WHERE organization = $1 AND EXISTS (SELECT FROM moved) AND due_at - now() > interval '0'
)
SELECT now() + clock_offset_ms * interval '1 millisecond' AS now, clock_offset_ms AS offset_ms FROM moved`,
    values: [organization, Math.trunc(byMs), mostMs],
  });
  return clockOf(rows);
}

/** Finds the clients whose clocks were moved at `since` or later, in the order of the moves, at most `limit`. */
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
