import type {
  TransactionDetails,
  TransactionStatus,
  TransactionType,
} from '../transactions/transaction.model.ts';
import type { Entry } from './entry.model.ts';
import type { Booked, TransactionIds } from './posting.model.ts';
import type { StoredTransaction, TransactionUpdate } from './stored-transaction.model.ts';

/** A locked account. Amounts are minor units of its currency. */
export interface OpenAccount {
  id: string;
  currency: string;
  bban: string;
  /** Of type CHECKING: events of other types are not published (§1). */
  exposed: boolean;
  balance: bigint;
  reserved: bigint;
  creditLimit: bigint;
  /** Time of the newest posting that came without a posting time. */
  lastPostingTime: Date | null;
  /** Ids of the clients with a live consent for the account. */
  audience: readonly string[];
  /** The time by the clock of the account. */
  now: Date;
}

/** A transaction to be inserted. */
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

/** The next status of a pending transaction that is stored. */
export type Ending = Pick<NewTransaction, 'id' | 'status' | 'postingTime' | 'balanceAfter' | 'removedAt'> & {
  billingAmount: bigint;
  authorizedAmount: bigint;
};

/** A posting whose event goes to the clients of its account. */
export interface Booking extends Booked, TransactionIds {
  /** The booked amount, minor units. */
  amount: bigint;
  bban: string;
  audience: readonly string[];
}

/** Locked accounts and stored entries of a group, and the decided changes, which are written together. */
export interface LedgerState {
  accounts: ReadonlyMap<string, OpenAccount>;
  entries: Map<string, Entry>;
  /** Changes by transaction id. */
  added: Map<string, NewTransaction>;
  ended: Map<string, Ending>;
  /** Stored transactions that an entry enriches, and their new fields. */
  stored: ReadonlyMap<string, StoredTransaction>;
  updates: Map<string, TransactionUpdate>;
  /** Accounts whose amounts moved. */
  moved: Set<OpenAccount>;
}

/** Returns a transaction as the next entries under its id see it. */
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
    // The sandbox's synthetic pending transactions did not come through the ledger.
    wasPending: authorizedAmount !== null || (postingTime === null && refusal === null),
    askedAmount: authorizedAmount ?? billingAmount,
    amount: billingAmount,
    postingTime,
    balanceAfter,
  };
}

/** Returns the state of a transaction in the feed. */
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
