import type {
  TransactionDetails,
  TransactionStatus,
  TransactionType,
} from '../transactions/transaction.model.ts';
import type { Entry } from './entry.model.ts';
import type { KeptTransaction, Told } from './kept-transaction.model.ts';
import type { Booked, TransactionIds } from './posting.model.ts';

/** An account that nobody else moves meanwhile. Amounts are minor units of its currency. */
export interface OpenAccount {
  id: string;
  currency: string;
  bban: string;
  /** Of type CHECKING: of no other is anybody told (§1). */
  exposed: boolean;
  balance: bigint;
  reserved: bigint;
  creditLimit: bigint;
  /** Of the newest posting whose moment was ours to choose. */
  lastPostingTime: Date | null;
  /** Ids of the clients with a live consent for the account. */
  audience: readonly string[];
  /** By the clock of the account. */
  now: Date;
}

/** A transaction that the book gains. */
export interface NewTransaction {
  id: string;
  accountId: string;
  status: TransactionStatus;
  type: TransactionType;
  transactionTime: Date;
  postingTime: Date | null;
  billingAmount: bigint;
  transactionAmount: bigint | null;
  transactionCurrency: string | null;
  authorizedAmount: bigint | null;
  balanceAfter: bigint | null;
  title: string;
  details: TransactionDetails;
  removedAt: Date | null;
  refusal: 'FUNDS_INSUFFICIENT' | 'VOIDED' | null;
}

/** How a pending transaction ends, or goes on, that the database has. */
export type Ending = Pick<NewTransaction, 'id' | 'status' | 'postingTime' | 'balanceAfter' | 'removedAt'> & {
  billingAmount: bigint;
  authorizedAmount: bigint;
};

/** A posting of which the clients of its account are told. */
export interface Booking extends Booked, TransactionIds {
  /** Minor units that were booked. */
  amount: bigint;
  bban: string;
  audience: readonly string[];
}

/** Accounts and what stands under the ids in question; entries are decided in it in turn, before anything is written. */
export interface Book {
  accounts: ReadonlyMap<string, OpenAccount>;
  entries: Map<string, Entry>;
  /** What is to be written, by transaction id. */
  added: Map<string, NewTransaction>;
  ended: Map<string, Ending>;
  /** What is said of those that are to be enriched and that the database has, and what is to be said of them. */
  kept: ReadonlyMap<string, KeptTransaction>;
  told: Map<string, Told>;
  /** Accounts whose amounts moved. */
  moved: Set<OpenAccount>;
}

/** What a transaction is to the entries that follow under its id. */
export function entryOf(
  transaction: Pick<
    NewTransaction,
    | 'accountId'
    | 'refusal'
    | 'status'
    | 'billingAmount'
    | 'authorizedAmount'
    | 'postingTime'
    | 'balanceAfter'
    | 'removedAt'
  >,
  currency: string,
): Entry {
  const { accountId, refusal, billingAmount, authorizedAmount, postingTime, balanceAfter } = transaction;
  return {
    state: stateOf(transaction),
    accountId,
    currency,
    // The sandbox's own pending transactions did not come through the ledger.
    wasPending: authorizedAmount !== null || (postingTime === null && refusal === null),
    askedAmount: authorizedAmount ?? billingAmount,
    amount: billingAmount,
    postingTime,
    balanceAfter,
  };
}

/** Where a transaction stands in the feed. */
export function stateOf({
  refusal,
  status,
  removedAt,
}: Pick<NewTransaction, 'refusal' | 'status' | 'removedAt'>): Entry['state'] {
  if (refusal !== null) return refusal === 'VOIDED' ? 'voided' : 'refused';
  if (status === 'financial') return 'settled';
  if (removedAt !== null) return 'failed';
  return status === 'authorization' ? 'authorized' : status;
}
