import type { Tx } from '@kontoport/database';
import { writeAuditRecords } from '../directory/directory.repository.ts';
import type { Db } from '../gen/db.ts';
import { entomb } from './client.repository.ts';

/**
 * Deletes clients that registered before `before` and whose credentials were never accepted, the oldest first. Concurrent
 * replicas each claim different rows. SQL, because Prisma cannot claim a batch.
 * @returns the number of deleted clients, at most `limit`
 */
export function deleteUnused(
  db: Db,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  return db.prisma.$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM client WHERE used_at IS NULL AND deleted_at IS NULL AND created_at < ${before}
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
    if (rows.length > 0) {
      const clientIds = rows.map(({ id }) => id);
      const done = { action: 'CLIENT_DELETED', actor: 'SERVICE', now } as const;
      await writeAuditRecords(tx, ...clientIds.map((clientId) => ({ ...done, clientId })));
      await entomb(tx, { clientIds, now });
    }
    return rows.length;
  });
}

/**
 * Deletes the tombstones of clients that were deleted before `before`, with their request ids, and stores the last change
 * whose tombstone is deleted. SQL, because Prisma cannot claim a batch.
 * @returns the number of deleted tombstones, at most `limit`
 */
export function purgeTombstones(db: Db, { before, limit }: { before: Date; limit: number }): Promise<number> {
  return db.prisma.$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string; revision: bigint }[]>`
      SELECT id, revision FROM client WHERE deleted_at IS NOT NULL AND deleted_at < ${before}
      ORDER BY deleted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
    if (rows.length === 0) return 0;
    const gone = { in: rows.map(({ id }) => id) };
    await tx.registrationRequest.deleteMany({ where: { clientId: gone } });
    await tx.certificateChain.deleteMany({ where: { clientId: gone } });
    await tx.client.deleteMany({ where: { id: gone } });
    const purgedRevision = rows.map(({ revision }) => revision).reduce((a, b) => (a > b ? a : b));
    // Last, as in every change: it waits for the changes in progress.
    await tx.clientRevision.updateMany({
      where: { purgedRevision: { lt: purgedRevision } },
      data: { purgedRevision },
    });
    return rows.length;
  });
}

/** Deletes request ids of registrations before `before`; the clients stay. SQL: a batch. @returns their number, at most `limit` */
export async function deleteRequests(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query(
    `DELETE FROM registration_request WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM registration_request WHERE created_at < $1
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [before, limit],
  );
  return rowCount ?? 0;
}
