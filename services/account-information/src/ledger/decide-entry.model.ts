import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type {
  TransactionDetails,
  TransactionStatus,
  TransactionType,
} from '../transactions/transaction.model.ts';
import {
  type Entry,
  illegalTransition,
  type LedgerCommand,
  requireRepetition,
  TRANSITIONS,
} from './entry.model.ts';
import type { Booked, LedgerEntry, Posting, Settlement, TransactionIds } from './posting.model.ts';
import { LEDGER_TEXTS } from './texts.ts';

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

/** How an authorization ends that the database has. */
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
  /** Accounts whose amounts moved. */
  moved: Set<OpenAccount>;
}

/** What became of an entry that was not refused. */
export interface Decided {
  /** The answer to Post and Settle. */
  booked?: Booked;
  /** Unless it was booked before, or nobody is told. */
  booking?: Booking;
}

/**
 * Decides one entry after all before it, and notes in the book what follows; a refused one leaves the book as it was,
 * but for the refusal itself where that is kept under the id.
 * @throws ApiError RESOURCE_UNKNOWN, FORMAT_ERROR (another currency, sums out of range), FUNDS_INSUFFICIENT, DUPLICATE_ID (another
 *   transaction has the id), STATUS_INVALID (a transition that there is not)
 */
export function decideEntry(book: Book, entry: LedgerEntry): Decided {
  switch (entry.command) {
    case 'Post':
    case 'Authorize':
      return begin(book, entry);
    case 'Settle':
      return settle(book, entry);
    case 'Fail':
      return fail(book, entry);
    case 'Void':
      return takeOutOfUse(book, entry);
  }
}

function begin(book: Book, entry: Posting & { command: 'Post' | 'Authorize' }): Decided {
  const { command, transactionId, amount, requireFunds } = entry;
  const account = requireAccount(book, entry);
  const before = book.entries.get(transactionId);
  if (before !== undefined) {
    requireRepetition(command, before, entry);
    return command === 'Post' ? { booked: bookedOf(before) } : {};
  }
  requireCurrency(account, amount.currency);
  const available = account.balance + account.creditLimit - account.reserved + amount.minorUnits;
  if (requireFunds && amount.minorUnits < 0n && available < 0n) {
    refuse(book, entry, { refusal: 'FUNDS_INSUFFICIENT', asked: entry });
    throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
  }
  return command === 'Post' ? post(book, { account, entry }) : hold(book, { account, entry });
}

function post(book: Book, { account, entry }: { account: OpenAccount; entry: Posting }): Decided {
  const { minorUnits } = entry.amount;
  requireRange(account, { balance: minorUnits });
  const booking = move(book, { account, ids: entry, amount: minorUnits, postingTime: entry.postingTime });
  const { postingTime, balanceAfter } = booking;
  add(book, {
    ...asked(entry),
    status: 'financial',
    transactionTime: entry.transactionTime ?? postingTime,
    postingTime,
    balanceAfter,
    authorizedAmount: null,
  });
  return account.exposed ? { booked: booking, booking } : { booked: booking };
}

function hold(book: Book, { account, entry }: { account: OpenAccount; entry: Posting }): Decided {
  const debit = debitOf(entry.amount.minorUnits);
  requireRange(account, { reserved: debit });
  reserve(book, account, debit);
  add(book, {
    ...asked(entry),
    status: 'authorization',
    transactionTime: entry.transactionTime ?? account.now,
    postingTime: null,
    balanceAfter: null,
    authorizedAmount: entry.amount.minorUnits,
  });
  return {};
}

function settle(book: Book, settlement: Settlement): Decided {
  const { amount } = settlement;
  const { account, entry } = requireEntry(book, settlement);
  if (TRANSITIONS[entry.state].Settle === undefined) {
    const again =
      entry.state === 'settled' &&
      entry.wasAuthorized &&
      (amount === undefined || (amount.minorUnits === entry.amount && amount.currency === entry.currency));
    if (!again) throw illegalTransition('Settle', entry.state);
    return { booked: bookedOf(entry) };
  }
  if (amount !== undefined) requireCurrency(account, amount.currency);
  const booked = amount?.minorUnits ?? entry.amount;
  const held = entry.state === 'authorized' ? debitOf(entry.amount) : 0n;
  requireRange(account, { balance: booked, reserved: -held });
  reserve(book, account, -held);
  const booking = move(book, {
    account,
    ids: settlement,
    amount: booked,
    postingTime: settlement.postingTime,
  });
  end(book, entry, {
    id: settlement.transactionId,
    status: 'financial',
    postingTime: booking.postingTime,
    balanceAfter: booking.balanceAfter,
    removedAt: null,
    billingAmount: booking.amount,
    authorizedAmount: entry.amount,
  });
  return account.exposed ? { booked: booking, booking } : { booked: booking };
}

function fail(book: Book, ids: TransactionIds): Decided {
  const { account, entry } = requireEntry(book, ids);
  if (TRANSITIONS[entry.state].Fail === undefined) return requireState(entry, 'Fail', ['failed']);
  reserve(book, account, -debitOf(entry.amount));
  end(book, entry, {
    id: ids.transactionId,
    status: 'failed_authorization',
    postingTime: null,
    balanceAfter: null,
    removedAt: account.now,
    billingAmount: entry.amount,
    authorizedAmount: entry.amount,
  });
  return {};
}

function takeOutOfUse(book: Book, ids: TransactionIds): Decided {
  requireAccount(book, ids);
  if (!book.entries.has(ids.transactionId)) {
    refuse(book, ids, { refusal: 'VOIDED' });
    return {};
  }
  return requireState(requireEntry(book, ids).entry, 'Void', ['voided', 'refused']);
}

/** Such a row is no transaction: no list and no look-up shows it. */
function refuse(
  book: Book,
  { transactionId, accountId }: TransactionIds,
  { refusal, asked: of }: { refusal: 'FUNDS_INSUFFICIENT' | 'VOIDED'; asked?: Posting & { command: string } },
): void {
  const amount = of?.amount.minorUnits ?? 0n;
  const { now } = book.accounts.get(accountId)!;
  add(book, {
    id: transactionId,
    accountId,
    status: 'declined',
    type: 'unknown',
    transactionTime: now,
    postingTime: null,
    billingAmount: amount,
    transactionAmount: null,
    transactionCurrency: null,
    authorizedAmount: of?.command === 'Authorize' ? amount : null,
    balanceAfter: null,
    title: '',
    details: {},
    removedAt: now,
    refusal,
  });
}

/** The fields of a transaction that are as the bank gave them. */
function asked({ transactionId, accountId, amount, original, title, type, details }: Posting) {
  return {
    id: transactionId,
    accountId,
    type,
    billingAmount: amount.minorUnits,
    transactionAmount: original && original.minorUnits,
    transactionCurrency: original && original.currency,
    title,
    details,
    removedAt: null,
    refusal: null,
  };
}

/** Moves the balance. Where the bank gives no moment it is now, and later than every such moment of the account before. */
function move(
  book: Book,
  options: { account: OpenAccount; ids: TransactionIds; amount: bigint; postingTime: Date | undefined },
): Booking {
  const { account, ids, amount, postingTime: given } = options;
  book.moved.add(account);
  account.balance += amount;
  if (given === undefined) {
    const next = (account.lastPostingTime?.getTime() ?? -Infinity) + 1;
    account.lastPostingTime = new Date(Math.max(account.now.getTime(), next));
  }
  return {
    transactionId: ids.transactionId,
    accountId: account.id,
    postingTime: given ?? account.lastPostingTime!,
    amount,
    balanceAfter: account.balance,
    currency: account.currency,
    bban: account.bban,
    audience: account.audience,
  };
}

function reserve(book: Book, account: OpenAccount, amount: bigint): void {
  book.moved.add(account);
  account.reserved += amount;
}

function add(book: Book, transaction: NewTransaction): void {
  book.added.set(transaction.id, transaction);
  book.entries.set(transaction.id, entryOf(transaction, book.accounts.get(transaction.accountId)!.currency));
}

/** One that came in the same turn is written as it ends. */
function end(book: Book, entry: Entry, ending: Ending): void {
  const added = book.added.get(ending.id);
  if (added === undefined) book.ended.set(ending.id, ending);
  else Object.assign(added, ending);
  const { postingTime, balanceAfter, billingAmount } = ending;
  const state = postingTime === null ? 'failed' : 'settled';
  book.entries.set(ending.id, {
    ...entry,
    state,
    wasAuthorized: true,
    askedAmount: ending.authorizedAmount,
    amount: billingAmount,
    postingTime,
    balanceAfter,
  });
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
    wasAuthorized: authorizedAmount !== null || (postingTime === null && refusal === null),
    askedAmount: authorizedAmount ?? billingAmount,
    amount: billingAmount,
    postingTime,
    balanceAfter,
  };
}

function stateOf({
  refusal,
  status,
  removedAt,
}: Pick<NewTransaction, 'refusal' | 'status' | 'removedAt'>): Entry['state'] {
  if (refusal !== null) return refusal === 'VOIDED' ? 'voided' : 'refused';
  if (status === 'financial') return 'settled';
  if (removedAt !== null) return 'failed';
  return status === 'authorization' ? 'authorized' : status;
}

/** What a settled entry was answered with. */
function bookedOf({ postingTime, balanceAfter, currency }: Entry): Booked {
  return { postingTime: postingTime!, balanceAfter: balanceAfter!, currency };
}

/** What a debit reserves while it is held. */
function debitOf(amount: bigint): bigint {
  return amount < 0n ? -amount : 0n;
}

function requireAccount(book: Book, { accountId }: TransactionIds): OpenAccount {
  const account = book.accounts.get(accountId);
  if (account === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
  return account;
}

function requireEntry(book: Book, ids: TransactionIds): { account: OpenAccount; entry: Entry } {
  const account = book.accounts.get(ids.accountId);
  const entry = book.entries.get(ids.transactionId);
  if (account === undefined || entry?.accountId !== account.id)
    throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-transaction'));
  return { account, entry };
}

function requireState(entry: Entry, command: LedgerCommand, ends: readonly Entry['state'][]): Decided {
  if (!ends.includes(entry.state)) throw illegalTransition(command, entry.state);
  return {};
}

/** Sums that no account can hold (int64, minor units) are the bank's fault. */
function requireRange(account: OpenAccount, change: { balance?: bigint; reserved?: bigint }): void {
  const balance = account.balance + (change.balance ?? 0n);
  const reserved = account.reserved + (change.reserved ?? 0n);
  const withCredit = balance + account.creditLimit;
  if ([balance, reserved, withCredit, withCredit - reserved].some((sum) => BigInt.asIntN(64, sum) !== sum))
    throw new ApiError('FORMAT_ERROR', LEDGER_TEXTS('out-of-range'));
}

function requireCurrency({ currency }: OpenAccount, given: string): void {
  if (given !== currency)
    throw new ApiError('FORMAT_ERROR', TEXTS('other-currency'), {
      details: [{ path: 'amount.currency', text: TEXTS('must-be', { value: currency }) }],
    });
}
