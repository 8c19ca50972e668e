import { ApiError } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import { TEXTS } from '../texts.ts';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';
import { illegalTransition, type LedgerCommand } from './entry.model.ts';

/** The fields of a transaction that enrichment can change. */
export interface TransactionUpdate {
  title: string;
  /** The original amount (§2.4); null where the payment never reserved money on the account. */
  original: Money | null;
  details: TransactionDetails;
}

/** A stored transaction: pending, booked or removed. */
export interface StoredTransaction extends TransactionUpdate {
  type: TransactionType;
  /** The amount on the account, in its currency. */
  amount: Money;
}

/** @throws ApiError RESOURCE_UNKNOWN, STATUS_INVALID (refused or voided: there is no transaction) */
export function requireStoredTransaction(
  found: (StoredTransaction & { refusal: string | null }) | undefined,
  command: LedgerCommand,
): StoredTransaction {
  if (found === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-transaction'));
  if (found.refusal !== null)
    throw illegalTransition(command, found.refusal === 'VOIDED' ? 'voided' : 'refused');
  return found;
}
