import { inTransaction } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import { type AccountAmounts, type BankAccount, requireUnchanged } from './bank-account.model.ts';
import { insertAccount, lockAccount, updateAccount } from './bank-account.repository.ts';

/**
 * Creates an account, or replaces its fields; a repetition changes nothing.
 * @throws ApiError STATUS_INVALID (a field that cannot change)
 */
export async function putAccount({ db }: { db: Db }, account: BankAccount): Promise<AccountAmounts> {
  return inTransaction(db, async (tx) => {
    const created = await insertAccount(tx, account);
    if (created !== undefined) return created;
    requireUnchanged(await lockAccount(tx, account.accountId), account);
    return updateAccount(tx, account);
  });
}
