import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import {
  type Book,
  type Booking,
  type Ending,
  entryOf,
  type NewTransaction,
  type OpenAccount,
  stateOf,
} from './book.model.ts';
import { enrich, type Enrichment } from './enrichment.model.ts';
import {
  type Beginning,
  type Entry,
  illegalTransition,
  type LedgerCommand,
  requireRepetition,
  TRANSITIONS,
} from './entry.model.ts';
import type { Booked, LedgerEntry, Posting, Settlement, TransactionIds } from './posting.model.ts';
import { LEDGER_TEXTS } from './texts.ts';

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
    case 'Initiate':
    case 'Schedule':
      return begin(book, entry);
    case 'Settle':
      return settle(book, entry);
    case 'Fail':
      return fail(book, entry);
    case 'Void':
      return takeOutOfUse(book, entry);
    case 'Enrich':
      return tell(book, entry);
  }
}

function begin(book: Book, entry: Posting & { command: Beginning }): Decided {
  const { command, transactionId, amount, requireFunds } = entry;
  const account = requireAccount(book, entry);
  const before = book.entries.get(transactionId);
  if (before !== undefined) {
    requireRepetition(command, before, entry);
    // The day of a scheduled one has come.
    if (command === 'Initiate' && before.state === 'future') goOn(book, { id: transactionId, entry: before });
    return command === 'Post' ? { booked: bookedOf(before) } : {};
  }
  requireCurrency(account, amount.currency);
  const available = account.balance + account.creditLimit - account.reserved + amount.minorUnits;
  if (requireFunds && amount.minorUnits < 0n && available < 0n) {
    refuse(book, entry, { refusal: 'FUNDS_INSUFFICIENT', asked: entry });
    throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
  }
  return command === 'Post' ? post(book, { account, entry }) : hold(book, { account, entry, command });
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

/** As what it stands among the pending. */
const PENDING = { Authorize: 'authorization', Initiate: 'initiated', Schedule: 'future' } as const;

function hold(
  book: Book,
  { account, entry, command }: { account: OpenAccount; entry: Posting; command: keyof typeof PENDING },
): Decided {
  const debit = command === 'Authorize' ? debitOf(entry.amount.minorUnits) : 0n;
  requireRange(account, { reserved: debit });
  reserve(book, account, debit);
  add(book, {
    ...asked(entry),
    status: PENDING[command],
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
      entry.wasPending &&
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
  const wasAuthorized = entry.state === 'authorized';
  if (wasAuthorized) reserve(book, account, -debitOf(entry.amount));
  end(book, entry, {
    id: ids.transactionId,
    status: wasAuthorized ? 'failed_authorization' : 'declined',
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

function goOn(book: Book, { id, entry }: { id: string; entry: Entry }): void {
  end(book, entry, {
    id,
    status: 'initiated',
    postingTime: null,
    balanceAfter: null,
    removedAt: null,
    billingAmount: entry.amount,
    authorizedAmount: entry.amount,
  });
}

function tell(book: Book, enrichment: TransactionIds & Enrichment): Decided {
  const { transactionId: id } = enrichment;
  const { entry } = requireEntry(book, enrichment);
  if (TRANSITIONS[entry.state].Enrich === undefined) throw illegalTransition('Enrich', entry.state);
  const amount = { minorUnits: entry.amount, currency: entry.currency };
  const added = book.added.get(id);
  if (added === undefined) {
    const kept = book.kept.get(id)!;
    book.told.set(id, enrich({ ...kept, ...book.told.get(id), amount }, enrichment));
    return {};
  }
  const { type, title, transactionAmount, transactionCurrency, details } = added;
  const before =
    transactionAmount === null ? null : { minorUnits: transactionAmount, currency: transactionCurrency! };
  const { original, ...told } = enrich({ type, title, details, amount, original: before }, enrichment);
  Object.assign(added, {
    ...told,
    transactionAmount: original && original.minorUnits,
    transactionCurrency: original && original.currency,
  });
  return {};
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
  if (amount === 0n) return;
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
  book.entries.set(ending.id, {
    ...entry,
    state: stateOf({ ...ending, refusal: null }),
    wasPending: true,
    askedAmount: ending.authorizedAmount,
    amount: billingAmount,
    postingTime,
    balanceAfter,
  });
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
