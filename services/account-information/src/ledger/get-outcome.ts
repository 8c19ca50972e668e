import { ApiError } from '@kontoport/errors';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { hasAccount } from './bank-account.repository.ts';
import type { Entry } from './entry.model.ts';
import { findEntry } from './ledger-state.repository.ts';
import type { TransactionIds } from './posting.model.ts';

/**
 * Finds the entry under an id; undefined when none is stored.
 * @throws ApiError RESOURCE_UNKNOWN (no such account), DUPLICATE_ID (another account's transaction has the id)
 */
export async function getOutcome(
  { db }: { db: Db },
  { transactionId, accountId }: TransactionIds,
): Promise<Entry | undefined> {
  const entry = await findEntry(db, transactionId);
  if (entry !== undefined && entry.accountId !== accountId)
    throw new ApiError('DUPLICATE_ID', TEXTS('posting-differs'));
  if (entry === undefined && !(await hasAccount(db, accountId)))
    throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
  return entry;
}
