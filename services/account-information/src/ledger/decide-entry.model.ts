import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import { enrich, type Enrichment } from './enrichment.model.ts';
import {
  type Entry,
  illegalTransition,
  type LedgerCommand,
  type OpeningCommand,
  requireRepetition,
  TRANSITIONS,
} from './entry.model.ts';
import {
  type Booking,
  type Ending,
  entryOf,
  type LedgerState,
  type NewTransaction,
  type OpenAccount,
  stateOf,
} from './ledger-state.model.ts';
import type { Booked, LedgerEntry, Posting, Settlement, TransactionIds } from './posting.model.ts';
import { LEDGER_TEXTS } from './texts.ts';

/** The result of an entry that was not refused. */
export interface Decided {
  /** The answer to Post and Settle. */
  booked?: Booked;
  /** Absent for a repetition, or when no event follows. */
  booking?: Booking;
}

/**
 * Decides one entry after all previous ones, and adds the changes to the ledger state. A refused entry leaves the state
 * unchanged, except for a refusal that is stored under its id.
 * @throws ApiError RESOURCE_UNKNOWN, FORMAT_ERROR (another currency, sums out of range), FUNDS_INSUFFICIENT, DUPLICATE_ID (another
 *   transaction has the id), STATUS_INVALID (an illegal transition)
 */
export function decideEntry(state: LedgerState, entry: LedgerEntry): Decided {
  switch (entry.command) {
    case 'Post':
    case 'Authorize':
    case 'Initiate':
    case 'Schedule':
      return begin(state, entry);
    case 'Settle':
      return settle(state, entry);
    case 'Fail':
      return fail(state, entry);
    case 'Void':
      return voidId(state, entry);
    case 'Enrich':
      return enrichTransaction(state, entry);
  }
}

function begin(state: LedgerState, entry: Posting & { command: OpeningCommand }): Decided {
  const { command, transactionId, amount, requireFunds } = entry;
  const account = requireAccount(state, entry);
  const before = state.entries.get(transactionId);
  if (before !== undefined) {
    requireRepetition(command, before, entry);
    // The day of a scheduled transaction has arrived.
    if (command === 'Initiate' && before.state === 'future')
      startScheduled(state, { id: transactionId, entry: before });
    return command === 'Post' ? { booked: bookedOf(before) } : {};
  }
  requireCurrency(account, amount.currency);
  const available = account.balance + account.creditLimit - account.reserved + amount.minorUnits;
  if (requireFunds && amount.minorUnits < 0n && available < 0n) {
    refuse(state, entry, { refusal: 'FUNDS_INSUFFICIENT', asked: entry });
    throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
  }
  return command === 'Post' ? post(state, { account, entry }) : hold(state, { account, entry, command });
}

function post(state: LedgerState, { account, entry }: { account: OpenAccount; entry: Posting }): Decided {
  const { minorUnits } = entry.amount;
  requireRange(account, { balance: minorUnits });
  const booking = move(state, { account, ids: entry, amount: minorUnits, postingTime: entry.postingTime });
  const { postingTime, balanceAfter } = booking;
  add(state, {
    ...asked(entry),
    status: 'financial',
    transactionTime: entry.transactionTime ?? postingTime,
    postingTime,
    balanceAfter,
    authorizedAmount: null,
  });
  return account.exposed ? { booked: booking, booking } : { booked: booking };
}

/** The status of a new pending transaction. */
const PENDING = { Authorize: 'authorization', Initiate: 'initiated', Schedule: 'future' } as const;

function hold(
  state: LedgerState,
  { account, entry, command }: { account: OpenAccount; entry: Posting; command: keyof typeof PENDING },
): Decided {
  const debit = command === 'Authorize' ? debitOf(entry.amount.minorUnits) : 0n;
  requireRange(account, { reserved: debit });
  reserve(state, account, debit);
  add(state, {
    ...asked(entry),
    status: PENDING[command],
    transactionTime: entry.transactionTime ?? account.now,
    postingTime: null,
    balanceAfter: null,
    authorizedAmount: entry.amount.minorUnits,
  });
  return {};
}

function settle(state: LedgerState, settlement: Settlement): Decided {
  const { amount } = settlement;
  const { account, entry } = requireEntry(state, settlement);
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
  reserve(state, account, -held);
  const booking = move(state, {
    account,
    ids: settlement,
    amount: booked,
    postingTime: settlement.postingTime,
  });
  end(state, entry, {
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

function fail(state: LedgerState, ids: TransactionIds): Decided {
  const { account, entry } = requireEntry(state, ids);
  if (TRANSITIONS[entry.state].Fail === undefined) return requireState(entry, 'Fail', ['failed']);
  const wasAuthorized = entry.state === 'authorized';
  if (wasAuthorized) reserve(state, account, -debitOf(entry.amount));
  end(state, entry, {
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

function voidId(state: LedgerState, ids: TransactionIds): Decided {
  requireAccount(state, ids);
  if (!state.entries.has(ids.transactionId)) {
    refuse(state, ids, { refusal: 'VOIDED' });
    return {};
  }
  return requireState(requireEntry(state, ids).entry, 'Void', ['voided', 'refused']);
}

function startScheduled(state: LedgerState, { id, entry }: { id: string; entry: Entry }): void {
  end(state, entry, {
    id,
    status: 'initiated',
    postingTime: null,
    balanceAfter: null,
    removedAt: null,
    billingAmount: entry.amount,
    authorizedAmount: entry.amount,
  });
}

function enrichTransaction(state: LedgerState, enrichment: TransactionIds & Enrichment): Decided {
  const { transactionId: id } = enrichment;
  const { entry } = requireEntry(state, enrichment);
  if (TRANSITIONS[entry.state].Enrich === undefined) throw illegalTransition('Enrich', entry.state);
  const amount = { minorUnits: entry.amount, currency: entry.currency };
  const added = state.added.get(id);
  if (added === undefined) {
    const stored = state.stored.get(id)!;
    state.updates.set(id, enrich({ ...stored, ...state.updates.get(id), amount }, enrichment));
    return {};
  }
  const { type, title, transactionAmount, transactionCurrency, details } = added;
  const before =
    transactionAmount === null ? null : { minorUnits: transactionAmount, currency: transactionCurrency! };
  const { original, ...updates } = enrich({ type, title, details, amount, original: before }, enrichment);
  Object.assign(added, {
    ...updates,
    transactionAmount: original && original.minorUnits,
    transactionCurrency: original && original.currency,
  });
  return {};
}

/** Stores a refusal. Its row is not a transaction: no list and no query shows it. */
function refuse(
  state: LedgerState,
  { transactionId, accountId }: TransactionIds,
  { refusal, asked: of }: { refusal: 'FUNDS_INSUFFICIENT' | 'VOIDED'; asked?: Posting & { command: string } },
): void {
  const amount = of?.amount.minorUnits ?? 0n;
  const { now } = state.accounts.get(accountId)!;
  add(state, {
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

/** Copies the fields that are stored unchanged. */
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

/** Moves the balance. Without a posting time, uses `now`, but at least 1 ms after the account's last posting time. */
function move(
  state: LedgerState,
  options: { account: OpenAccount; ids: TransactionIds; amount: bigint; postingTime: Date | undefined },
): Booking {
  const { account, ids, amount, postingTime: given } = options;
  state.moved.add(account);
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

function reserve(state: LedgerState, account: OpenAccount, amount: bigint): void {
  if (amount === 0n) return;
  state.moved.add(account);
  account.reserved += amount;
}

function add(state: LedgerState, transaction: NewTransaction): void {
  state.added.set(transaction.id, transaction);
  state.entries.set(
    transaction.id,
    entryOf(transaction, state.accounts.get(transaction.accountId)!.currency),
  );
}

/** Ends a transaction. One that the same group added is inserted in its final state. */
function end(state: LedgerState, entry: Entry, ending: Ending): void {
  const added = state.added.get(ending.id);
  if (added === undefined) state.ended.set(ending.id, ending);
  else Object.assign(added, ending);
  const { postingTime, balanceAfter, billingAmount } = ending;
  state.entries.set(ending.id, {
    ...entry,
    state: stateOf({ ...ending, refusal: null }),
    wasPending: true,
    askedAmount: ending.authorizedAmount,
    amount: billingAmount,
    postingTime,
    balanceAfter,
  });
}

/** Returns the stored answer of a settled entry. */
function bookedOf({ postingTime, balanceAfter, currency }: Entry): Booked {
  return { postingTime: postingTime!, balanceAfter: balanceAfter!, currency };
}

/** The amount that a debit reserves while it is authorized. */
function debitOf(amount: bigint): bigint {
  return amount < 0n ? -amount : 0n;
}

function requireAccount(state: LedgerState, { accountId }: TransactionIds): OpenAccount {
  const account = state.accounts.get(accountId);
  if (account === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
  return account;
}

function requireEntry(state: LedgerState, ids: TransactionIds): { account: OpenAccount; entry: Entry } {
  const account = state.accounts.get(ids.accountId);
  const entry = state.entries.get(ids.transactionId);
  if (account === undefined || entry?.accountId !== account.id)
    throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-transaction'));
  return { account, entry };
}

function requireState(entry: Entry, command: LedgerCommand, ends: readonly Entry['state'][]): Decided {
  if (!ends.includes(entry.state)) throw illegalTransition(command, entry.state);
  return {};
}

/** Checks that the sums fit into int64 (minor units). @throws ApiError FORMAT_ERROR, because the bank sent them */
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
