import { inTransaction } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import type { Db } from '../gen/db.ts';
import { type AccountAmounts, type BankAccount, requireUnchanged } from './bank-account.model.ts';
import { insertAccount, lockAccount, updateAccount } from './bank-account.repository.ts';
import { LEDGER_TEXTS } from './texts.ts';

/**
 * Creates an account, or replaces its fields; a repetition changes nothing.
 * @throws ApiError STATUS_INVALID (a fixed field), FORMAT_ERROR (amounts beyond int64 minor units)
 */
export async function putAccount({ db }: { db: Db }, account: BankAccount): Promise<AccountAmounts> {
  return inTransaction(db, async (tx) => {
    const created = await insertAccount(tx, account);
    if (created !== undefined) return created;
    requireUnchanged(await lockAccount(tx, account.accountId), account);
    return updateAccount(tx, account);
  }).catch((error: unknown) => {
    // numeric_value_out_of_range
    if ((error as { code?: unknown }).code !== '22003') throw error;
    throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('out-of-range'));
  });
}
