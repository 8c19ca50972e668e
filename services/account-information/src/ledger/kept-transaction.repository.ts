import type { Tx } from '@kontoport/database';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';
import type { KeptTransaction, Told } from './kept-transaction.model.ts';

interface KeptRow {
  type: TransactionType;
  currency: string;
  billing_amount: string;
  transaction_amount: string | null;
  transaction_currency: string | null;
  title: string;
  details: TransactionDetails;
  refusal: string | null;
}

/** A transaction of an account, locked until the database transaction ends. Plain SQL: it is locked as it is read. */
export async function lockTransaction(
  tx: Tx,
  { transactionId, accountId }: { transactionId: string; accountId: string },
): Promise<(KeptTransaction & { refusal: string | null }) | undefined> {
  const { rows } = await tx.query<KeptRow>({
    name: 'lock-transaction',
    text: `SELECT type, owner.currency, billing_amount, transaction_amount, transaction_currency, title, details, refusal
FROM transaction CROSS JOIN LATERAL (
  SELECT currency FROM account WHERE account.id = transaction.account_id OFFSET 0
) AS owner
WHERE transaction.id = $1::uuid AND account_id = $2::uuid FOR UPDATE OF transaction`,
    values: [transactionId, accountId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { type, currency, title, details, refusal } = row;
  return {
    type,
    amount: { minorUnits: BigInt(row.billing_amount), currency },
    original:
      row.transaction_amount === null
        ? null
        : { minorUnits: BigInt(row.transaction_amount), currency: row.transaction_currency! },
    title,
    details,
    refusal,
  };
}

/** Replaces what is said of a transaction that `lockTransaction` locked. */
export async function replaceDetails(tx: Tx, transactionId: string, told: Told): Promise<void> {
  const { title, original, details } = told;
  await tx.query({
    name: 'replace-details',
    text: `UPDATE transaction SET title = $2, details = $3::json, transaction_amount = $4, transaction_currency = $5
WHERE id = $1::uuid`,
    values: [transactionId, title, JSON.stringify(details), original?.minorUnits, original?.currency],
  });
}
