import type { Money } from '@kontoport/money';
import type { TransactionDetails, TransactionType } from '../transactions/transaction.model.ts';
import type { Enrichment } from './enrichment.model.ts';
import type { OpeningCommand } from './entry.model.ts';

/** A transaction of an account. */
export interface TransactionIds {
  /** UUID, chosen by the caller. */
  transactionId: string;
  accountId: string;
}

/** A transaction to book on an account, or to add as pending. */
export interface Posting extends TransactionIds {
  /** The amount on the account, in its currency. */
  amount: Money;
  /** The original amount (§2.4); null where the payment never reserved money on the account. */
  original: Money | null;
  /** Absent: the moment of booking. */
  transactionTime: Date | undefined;
  /** The time in the bank's books; absent: the time of booking. */
  postingTime: Date | undefined;
  /** Empty when the bank sends none. */
  title: string;
  type: TransactionType;
  details: TransactionDetails;
  /** Refuse a debit that exceeds the available amount. */
  requireFunds: boolean;
}

/** The end of an authorization in the bank's books. */
export interface Settlement extends TransactionIds {
  /** Absent: the authorized amount. */
  amount: Money | undefined;
  /** The time in the bank's books; absent: the time of booking. */
  postingTime: Date | undefined;
}

/** One entry of the feed: a command on a transaction id. */
export type LedgerEntry =
  | (Posting & { command: OpeningCommand })
  | (Settlement & { command: 'Settle' })
  | (TransactionIds & { command: 'Fail' | 'Void' })
  | (TransactionIds & Enrichment & { command: 'Enrich' });

/** A booked posting. */
export interface Booked {
  postingTime: Date;
  /** Minor units of the account's currency. */
  balanceAfter: bigint;
  currency: string;
}
