import { nextRevision, writeAuditRecords } from '../directory/directory.repository.ts';
import type { Db } from '../gen/db.ts';
import { type Backing, endOfLife, nextName } from './client.model.ts';

/**
 * Replaces display names whose last valid chain has ended by another name of the client, the longest overdue first.
 * Replicas share them. A client without a valid chain keeps its name, because no authorization uses it.
 * SQL: a claim of a batch, and a batch.
 * @returns the number of checked clients, at most `limit`
 */
export function exchangeEndedNames(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<{ looked: number; exchanged: number }> {
  return db.prisma.$transaction(async (tx) => {
    const due = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM client WHERE named_until < ${endOfLife(now)}
      ORDER BY named_until LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
    const chains = await tx.certificateChain.findMany({
      where: { clientId: { in: due.map(({ id }) => id) } },
      orderBy: [{ addedAt: 'asc' }, { id: 'asc' }],
    });
    const byClient = Map.groupBy(chains, ({ clientId }) => clientId);
    const names = due.map(({ id }) => ({ id, next: nextName((byClient.get(id) ?? []) as Backing[], now) }));
    const nameless = names.filter(({ next }) => next === undefined);
    await tx.client.updateMany({
      where: { id: { in: nameless.map(({ id }) => id) } },
      data: { namedUntil: null },
    });
    const exchanged = names.filter(({ next }) => next !== undefined);
    if (exchanged.length > 0) {
      const done = { action: 'DISPLAY_NAME_CHANGED', actor: 'SERVICE', now } as const;
      await writeAuditRecords(tx, ...exchanged.map(({ id: clientId }) => ({ ...done, clientId })));
      const last = await nextRevision(tx, exchanged.length);
      const [ids, displayNames, ends] = [
        exchanged.map(({ id }) => id),
        exchanged.map(({ next }) => next!.displayName),
        exchanged.map(({ next }) => next!.namedUntil),
      ];
      await tx.$executeRaw`
        UPDATE client SET display_name = renamed.name, named_until = renamed.until,
                          revision = ${last}::bigint - ${ids.length}::bigint + renamed.number
        FROM unnest(${ids}::uuid[], ${displayNames}::text[], ${ends}::timestamptz[])
          WITH ORDINALITY AS renamed (id, name, until, number)
        WHERE client.id = renamed.id`;
    }
    return { looked: due.length, exchanged: exchanged.length };
  });
}
