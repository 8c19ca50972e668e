import type { Tx } from '@kontoport/database';

/** Notes that clients are deleted, those without a copy included: none is made for them any more. SQL (batch). */
export async function noteDeleted(tx: Tx, clientIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'note-deleted',
    text: `INSERT INTO sandbox_client (client_id, deleted_at)
SELECT id, now() FROM unnest($1::uuid[]) AS id ORDER BY id
ON CONFLICT (client_id) DO UPDATE SET deleted_at = now() WHERE sandbox_client.deleted_at IS NULL`,
    values: [clientIds],
  });
}

/** Locks a client that was deleted longer ago than `afterMs` and whose copy is there, unless another replica has it. SQL (lock). */
export async function claimDeletedCopy(tx: Tx, afterMs: number): Promise<string | undefined> {
  const { rows } = await tx.query<{ client_id: string }>({
    name: 'claim-deleted-copy',
    text: `SELECT client_id FROM sandbox_client
WHERE deleted_at < now() - $1 * interval '1 millisecond' AND deleted_at IS NOT NULL AND swept_at IS NULL
ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    values: [afterMs],
  });
  return rows[0]?.client_id;
}

/** Deletes some of a copy's transactions. SQL (lock, batch): while `claimDeletedCopy` holds the client. @returns how many */
export async function deleteTransactions(
  tx: Tx,
  { clientId, limit }: { clientId: string; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete-transactions',
    text: `DELETE FROM transaction WHERE id = ANY (ARRAY(
  SELECT found.id FROM sandbox_account CROSS JOIN LATERAL (
    SELECT id FROM transaction WHERE account_id = sandbox_account.account_id
    ORDER BY account_id, transaction_time DESC, id DESC LIMIT $2
  ) AS found WHERE client_id = $1::uuid LIMIT $2
))`,
    values: [clientId, limit],
  });
  return rowCount ?? 0;
}

/** Deletes what is left of a copy whose transactions are gone, and notes that it is. SQL (lock): as `deleteTransactions`. */
export async function deleteCopy(tx: Tx, clientId: string): Promise<void> {
  for (const text of [
    'DELETE FROM sandbox_due WHERE client_id = $1::uuid',
    'DELETE FROM consent WHERE client_id = $1::uuid',
    'DELETE FROM account USING sandbox_account WHERE account.id = account_id AND client_id = $1::uuid',
    'UPDATE sandbox_client SET swept_at = now() WHERE client_id = $1::uuid',
  ])
    await tx.query(text, [clientId]);
}

/** Forgets clients whose copy went longer ago than `afterMs`: nobody can ask for them any more. SQL (lock, batch). */
export async function forgetSwept(
  tx: Tx,
  { afterMs, limit }: { afterMs: number; limit: number },
): Promise<void> {
  await tx.query({
    name: 'forget-swept',
    text: `DELETE FROM sandbox_client WHERE client_id = ANY (ARRAY(
  SELECT client_id FROM sandbox_client
  WHERE swept_at < now() - $1 * interval '1 millisecond' AND swept_at IS NOT NULL ORDER BY swept_at LIMIT $2 FOR UPDATE SKIP LOCKED
))`,
    values: [afterMs, limit],
  });
}
