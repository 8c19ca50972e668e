import type { Money } from '@kontoport/money';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';

/** A transaction that the bank has settled, to be booked on an account. */
export interface Posting {
  /** UUID, chosen by the caller. */
  transactionId: string;
  accountId: string;
  /** What moves on the account, in its currency. */
  amount: Money;
  /** What was agreed originally (§2.4); null where the payment never held money on the account. */
  original: Money | null;
  /** Absent: the moment of booking. */
  transactionTime: Date | undefined;
  /** Of the bank's books; absent: the moment of booking. */
  postingTime: Date | undefined;
  /** Empty where the bank has none. */
  title: string;
  type: TransactionType;
  details: TransactionDetails;
  /** Refuse a debit that exceeds the available amount. */
  requireFunds: boolean;
}
