import { inTransaction } from '@kontoport/database';
import { nextRevision, tellAuditors } from '../directory/directory.repository.ts';
import type { Db } from '../gen/db.ts';
import { type Backing, endOfLife, nextName } from './client.model.ts';

/**
 * Calls clients by another of their names whose last backing chain has ended, those longest without first; replicas that do
 * so at once share them. A client without any live chain keeps its name, which nobody reads: nothing is authorized over it.
 * @returns of how many clients the name was looked at, at most `limit`
 */
export function exchangeEndedNames(
  db: Db,
  { now, limit }: { now: Date; limit: number },
): Promise<{ looked: number; exchanged: number }> {
  return inTransaction(db, async (tx) => {
    const { rows: due } = await tx.query<{ id: string }>(
      `SELECT id FROM client WHERE named_until < $1 ORDER BY named_until LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [endOfLife(now), limit],
    );
    const { rows: chains } = await tx.query<Backing & { clientId: string }>(
      `SELECT client_id AS "clientId", display_name AS "displayName", not_after AS "notAfter" FROM certificate_chain
       WHERE client_id = ANY ($1::uuid[]) ORDER BY added_at, id`,
      [due.map(({ id }) => id)],
    );
    const byClient = Map.groupBy(chains, ({ clientId }) => clientId);
    const names = due.map(({ id }) => ({ id, next: nextName(byClient.get(id) ?? [], now) }));
    const nameless = names.filter(({ next }) => next === undefined);
    if (nameless.length > 0)
      await tx.query('UPDATE client SET named_until = NULL WHERE id = ANY ($1::uuid[])', [
        nameless.map(({ id }) => id),
      ]);
    const exchanged = names.filter(({ next }) => next !== undefined);
    if (exchanged.length > 0) {
      const done = { action: 'DISPLAY_NAME_CHANGED', actor: 'SERVICE', now } as const;
      await tellAuditors(tx, ...exchanged.map(({ id: clientId }) => ({ ...done, clientId })));
      const last = await nextRevision(tx, exchanged.length);
      await tx.query(
        `UPDATE client SET display_name = renamed.name, named_until = renamed.until,
                           revision = $4::bigint - $5::bigint + renamed.number
         FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) WITH ORDINALITY AS renamed (id, name, until, number)
         WHERE client.id = renamed.id`,
        [
          exchanged.map(({ id }) => id),
          exchanged.map(({ next }) => next!.displayName),
          exchanged.map(({ next }) => next!.namedUntil),
          last,
          exchanged.length,
        ],
      );
    }
    return { looked: due.length, exchanged: exchanged.length };
  });
}
