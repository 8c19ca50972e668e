import type { Tx } from '@kontoport/database';

/** Records that clients are deleted, also those without a bank: they join no bank any more. SQL (batch). */
export async function noteDeleted(tx: Tx, clientIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'note-deleted',
    text: `INSERT INTO sandbox_client (client_id, deleted_at)
SELECT id, now() FROM unnest($1::uuid[]) AS id ORDER BY id
ON CONFLICT (client_id) DO UPDATE SET deleted_at = now() WHERE sandbox_client.deleted_at IS NULL`,
    values: [clientIds],
  });
}

/** A deleted client whose data is still stored. */
interface DeletedClient {
  clientId: string;
  /** Absent: it had no bank. */
  organization: string | null;
}

/** Locks a client that was deleted longer than `afterMs` ago and is not swept, unless another replica holds it. SQL (lock). */
export async function claimDeletedClient(tx: Tx, afterMs: number): Promise<DeletedClient | undefined> {
  const { rows } = await tx.query<DeletedClient>({
    name: 'claim-deleted-client',
    text: `SELECT client_id AS "clientId", organization FROM sandbox_client
WHERE deleted_at < now() - $1 * interval '1 millisecond' AND deleted_at IS NOT NULL AND swept_at IS NULL
ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    values: [afterMs],
  });
  return rows[0];
}

/**
 * Locks the bank of a client and returns whether it has no other client. SQL (lock): a client that joins waits until the
 * transaction ends.
 */
export async function isLastOfBank(tx: Tx, { clientId, organization }: DeletedClient): Promise<boolean> {
  await tx.query({
    name: 'lock-bank',
    text: 'SELECT FROM sandbox_bank WHERE organization = $1 FOR UPDATE',
    values: [organization],
  });
  // A separate statement: it sees clients that joined while the lock was waited for.
  const { rows } = await tx.query<{ last: boolean }>({
    name: 'last-of-bank',
    text: `SELECT NOT EXISTS (
  SELECT FROM sandbox_client WHERE organization = $1 AND client_id <> $2::uuid AND swept_at IS NULL) AS last`,
    values: [organization, clientId],
  });
  return rows[0]!.last;
}

/** Deletes some transactions of a bank. SQL (lock, batch): while `isLastOfBank` holds the bank. @returns how many */
export async function deleteTransactions(
  tx: Tx,
  { organization, limit }: { organization: string; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete-transactions',
    text: `DELETE FROM transaction WHERE id = ANY (ARRAY(
  SELECT found.id FROM sandbox_account CROSS JOIN LATERAL (
    SELECT id FROM transaction WHERE account_id = sandbox_account.account_id
    ORDER BY account_id, transaction_time DESC, id DESC LIMIT $2
  ) AS found WHERE organization = $1 LIMIT $2
))`,
    values: [organization, limit],
  });
  return rowCount ?? 0;
}

/** Deletes a bank after its transactions. SQL (lock): as `deleteTransactions`. */
export async function deleteBank(tx: Tx, organization: string): Promise<void> {
  for (const text of [
    'DELETE FROM sandbox_due WHERE organization = $1',
    'DELETE FROM account USING sandbox_account WHERE account.id = account_id AND organization = $1',
    'DELETE FROM sandbox_bank WHERE organization = $1',
  ])
    await tx.query(text, [organization]);
}

/**
 * Deletes the data of a client alone: its consents, and the accounts that version 0.1 created for it. SQL (lock): while
 * `claimDeletedClient` holds the client.
 */
export async function sweepClient(tx: Tx, { clientId }: DeletedClient): Promise<void> {
  for (const text of [
    'DELETE FROM sandbox_due WHERE client_id = $1::uuid',
    'DELETE FROM consent WHERE client_id = $1::uuid',
    'DELETE FROM account USING sandbox_account WHERE account.id = account_id AND client_id = $1::uuid',
    'UPDATE sandbox_client SET swept_at = now() WHERE client_id = $1::uuid',
  ])
    await tx.query(text, [clientId]);
}

/** Deletes the rows of clients that were swept longer than `afterMs` ago. SQL (lock, batch). */
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
