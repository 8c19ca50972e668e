import type { Tx } from '@kontoport/database';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';
import type { StoredTransaction, TransactionUpdate } from './stored-transaction.model.ts';

interface StoredRow {
  id: string;
  account_id: string;
  type: TransactionType;
  currency: string;
  billing_amount: string;
  transaction_amount: string | null;
  transaction_currency: string | null;
  title: string;
  details: TransactionDetails;
  refusal: string | null;
}

/** A stored transaction, or the refusal under its id. */
type Found = StoredTransaction & { accountId: string; refusal: string | null };

/**
 * Reads transactions by their ids and locks them until the database transaction ends. SQL (lock). A caller that reads
 * transactions of several accounts must hold the accounts' locks, so that no two callers wait for each other.
 */
export async function lockTransactions(tx: Tx, ids: readonly string[]): Promise<Map<string, Found>> {
  const { rows } = await tx.query<StoredRow>({
    name: 'lock-transactions',
    text: `SELECT transaction.id, account_id, type, owner.currency, billing_amount, transaction_amount, transaction_currency, title,
  details, refusal
FROM transaction CROSS JOIN LATERAL (
  SELECT currency FROM account WHERE account.id = transaction.account_id OFFSET 0
) AS owner
WHERE transaction.id = ANY ((SELECT $1::uuid[])::uuid[]) FOR UPDATE OF transaction`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, foundOf(row)]));
}

function foundOf(row: StoredRow): Found {
  const { type, currency, title, details, refusal } = row;
  return {
    accountId: row.account_id,
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

/** Replaces the fields of transactions, by their ids, while `lockTransactions` holds them. SQL (batch). */
export async function replaceDetails(tx: Tx, updates: ReadonlyMap<string, TransactionUpdate>): Promise<void> {
  const all = [...updates.values()];
  await tx.query({
    name: 'replace-details',
    text: `UPDATE transaction SET title = new.title, details = new.details, transaction_amount = new.transaction_amount,
  transaction_currency = new.transaction_currency
FROM unnest((SELECT $1::uuid[])::uuid[], $2::text[], $3::json[], $4::bigint[], $5::text[])
  AS new (id, title, details, transaction_amount, transaction_currency)
WHERE transaction.id = new.id AND transaction.id = ANY ((SELECT $1::uuid[])::uuid[])`,
    values: [
      [...updates.keys()],
      all.map(({ title }) => title),
      all.map(({ details }) => JSON.stringify(details)),
      all.map(({ original }) => original && original.minorUnits),
      all.map(({ original }) => original && original.currency),
    ],
  });
}
