import { ApiError } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import { TEXTS } from '../texts.ts';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';
import { illegalTransition, type LedgerCommand } from './entry.model.ts';

/** What can be said anew of a transaction. */
export interface Told {
  title: string;
  /** What was agreed originally (§2.4); null where the payment never held money on the account. */
  original: Money | null;
  details: TransactionDetails;
}

/** A transaction that is there: pending, booked or removed. */
export interface KeptTransaction extends Told {
  type: TransactionType;
  /** What moves on the account, in its currency. */
  amount: Money;
}

/** @throws ApiError RESOURCE_UNKNOWN, STATUS_INVALID (refused or voided: that is no transaction) */
export function requireKeptTransaction(
  found: (KeptTransaction & { refusal: string | null }) | undefined,
  command: LedgerCommand,
): KeptTransaction {
  if (found === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-transaction'));
  if (found.refusal !== null)
    throw illegalTransition(command, found.refusal === 'VOIDED' ? 'voided' : 'refused');
  return found;
}
