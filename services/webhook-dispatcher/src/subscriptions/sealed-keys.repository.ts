import type { SealedTable, Tx } from '@kontoport/database';
import { keyContext } from './subscription.model.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

/** The keys of subscriptions; deleted ones have none. SQL: keyset pages, and updates that compare the old value. */
export const SUBSCRIPTION_KEYS: SealedTable = {
  name: 'subscription keys',
  async read(tx, after, limit) {
    const { rows } = await tx.query<{ id: string; sealed: Buffer }>(
      `SELECT internal_id AS id, sealed_key AS sealed FROM subscription
       WHERE internal_id > $1 AND status <> 'DELETED' ORDER BY internal_id LIMIT $2`,
      [after?.[0] ?? NIL, limit],
    );
    return rows.map(({ id, sealed }) => ({
      key: [id],
      sealed: [{ value: sealed, context: keyContext(id) }],
      replace: (now: Tx, [value]: readonly Buffer[]) => replaceKey(now, { id, sealed, value: value! }),
    }));
  },
};

/** Replaces a key unless it has changed (one statement). @returns whether it did */
async function replaceKey(
  tx: Tx,
  { id, sealed, value }: { id: string; sealed: Buffer; value: Buffer },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'UPDATE subscription SET sealed_key = $1 WHERE internal_id = $2 AND sealed_key = $3',
    [value, id, sealed],
  );
  return rowCount === 1;
}
