import type { Tx } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import type { AccountAmounts, BankAccount, StoredAccount } from './bank-account.model.ts';

interface AmountsRow {
  balance: string;
  reserved: string;
  available: string;
}

const AMOUNTS = 'balance, reserved, available';

/** Adds an account. SQL (upsert): of two concurrent calls, the second returns undefined. @returns undefined when it exists */
export async function insertAccount(tx: Tx, account: BankAccount): Promise<AccountAmounts | undefined> {
  const { rows } = await tx.query<AmountsRow>({
    name: 'insert-account',
    text: `INSERT INTO account (id, user_id, currency, name, type, bban, iban, swift, credit_limit, supports_payments,
    supports_transfers, owner_name, usage, position, closed_at, opening_balance, balance, reserved)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, CASE WHEN $15::boolean THEN now() END,
    coalesce($16::bigint, 0), coalesce($16::bigint, 0), 0)
  ON CONFLICT (id) DO NOTHING RETURNING ${AMOUNTS}`,
    values: valuesOf(account),
  });
  return amountsOf(rows);
}

/** Locks an account and reads its fixed fields. SQL (lock): nothing is booked until the transaction ends. */
export async function lockAccount(tx: Tx, accountId: string): Promise<StoredAccount> {
  const locked = await tx.query<{ user_id: string; currency: string; opening_balance: string }>({
    name: 'lock-account',
    text: 'SELECT user_id, currency, opening_balance FROM account WHERE id = $1 FOR UPDATE',
    values: [accountId],
  });
  // A separate statement: its snapshot includes postings that committed while the first statement waited for the lock.
  const used = await tx.query<{ used: boolean }>({
    name: 'account-used',
    text: `SELECT EXISTS (SELECT FROM transaction WHERE account_id = $1) AS used`,
    values: [accountId],
  });
  const [row] = locked.rows;
  return {
    userId: row!.user_id,
    currency: row!.currency,
    openingBalance: BigInt(row!.opening_balance),
    used: used.rows[0]!.used,
  };
}

/** Replaces the fields of an account, while `lockAccount` holds it. SQL (lock). The balance follows the opening balance. */
export async function updateAccount(tx: Tx, account: BankAccount): Promise<AccountAmounts> {
  const { rows } = await tx.query<AmountsRow>({
    name: 'update-account',
    text: `UPDATE account SET currency = $3, name = $4, type = $5, bban = $6, iban = $7, swift = $8, credit_limit = $9,
    supports_payments = $10, supports_transfers = $11, owner_name = $12, usage = $13, position = $14,
    closed_at = CASE WHEN $15::boolean THEN coalesce(closed_at, now()) END,
    opening_balance = coalesce($16::bigint, opening_balance),
    balance = balance + coalesce($16::bigint, opening_balance) - opening_balance
  WHERE id = $1 AND user_id = $2 RETURNING ${AMOUNTS}`,
    values: valuesOf(account),
  });
  return amountsOf(rows)!;
}

/** Whether the account exists, closed ones included. */
export async function hasAccount(db: Db, accountId: string): Promise<boolean> {
  return (await db.prisma.account.count({ where: { id: accountId } })) > 0;
}

function valuesOf(account: BankAccount): unknown[] {
  return [
    account.accountId,
    account.userId,
    account.currency,
    account.name,
    account.type,
    account.bban,
    account.iban,
    account.swift,
    account.creditLimit?.minorUnits,
    account.supportsPayments,
    account.supportsTransfers,
    account.ownerName,
    account.usage,
    account.position,
    account.closed,
    account.openingBalance?.minorUnits,
  ];
}

function amountsOf([row]: AmountsRow[]): AccountAmounts | undefined {
  return (
    row && {
      balance: BigInt(row.balance),
      reserved: BigInt(row.reserved),
      available: BigInt(row.available),
    }
  );
}
