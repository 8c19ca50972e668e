import type { Tx } from '@kontoport/database';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';
import type { KeptTransaction, Told } from './kept-transaction.model.ts';

interface KeptRow {
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

/** A transaction as it is kept, or what stands in its place. */
type Found = KeptTransaction & { accountId: string; refusal: string | null };

/**
 * Transactions by their ids, locked until the database transaction ends. Plain SQL: they are locked as they are read. Of
 * several accounts only for who holds the locks of these, so that no two wait for each other.
 */
export async function lockTransactions(tx: Tx, ids: readonly string[]): Promise<Map<string, Found>> {
  const { rows } = await tx.query<KeptRow>({
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

function foundOf(row: KeptRow): Found {
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

/** Replaces what is said of transactions that `lockTransactions` locked, by their ids. */
export async function replaceDetails(tx: Tx, told: ReadonlyMap<string, Told>): Promise<void> {
  const all = [...told.values()];
  await tx.query({
    name: 'replace-details',
    text: `UPDATE transaction SET title = new.title, details = new.details, transaction_amount = new.transaction_amount,
  transaction_currency = new.transaction_currency
FROM unnest((SELECT $1::uuid[])::uuid[], $2::text[], $3::json[], $4::bigint[], $5::text[])
  AS new (id, title, details, transaction_amount, transaction_currency)
WHERE transaction.id = new.id AND transaction.id = ANY ((SELECT $1::uuid[])::uuid[])`,
    values: [
      [...told.keys()],
      all.map(({ title }) => title),
      all.map(({ details }) => JSON.stringify(details)),
      all.map(({ original }) => original && original.minorUnits),
      all.map(({ original }) => original && original.currency),
    ],
  });
}
