import type { Money } from '@kontoport/money';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';

/** A transaction that the bank has settled, to be booked on an account. */
export interface Posting {
  /** UUID, chosen by the caller. */
  transactionId: string;
  accountId: string;
  amount: Money;
  /** Absent: the moment of booking. */
  transactionTime: Date | undefined;
  title: string;
  type: TransactionType;
  details: TransactionDetails;
  /** Refuse a debit that exceeds the available amount. */
  requireFunds: boolean;
  /** SHA-256 of what is booked: the same for a repetition, whatever the order of its map entries. */
  contentHash: Buffer;
}
