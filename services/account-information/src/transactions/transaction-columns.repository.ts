import type { TransactionText } from './transaction.model.ts';

/** The columns of a `TransactionText`. */
export const COLUMNS = `id, status, type, transaction_time, posting_time, billing_amount, transaction_amount,
        transaction_currency, balance_after, title, details`;

/** A row of an account's transactions: the account alone when it has nothing to list. */
export type Listed = { account_currency: string } & (TransactionText | { id: null });

/** The rows that are transactions. */
export function listedRows(rows: readonly Listed[]): (Listed & TransactionText)[] {
  return rows.filter((row): row is Listed & TransactionText => row.id !== null);
}

/** Keeps the texts of PostgreSQL as they are. */
export const AS_TEXT = { getTypeParser: () => (text: string) => text };
