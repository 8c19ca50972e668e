import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { TransactionStatus } from '../transactions/transaction.model.ts';

/** Commands of the feed on a transaction id. */
export const LEDGER_COMMANDS = [
  'Post',
  'Authorize',
  'Initiate',
  'Schedule',
  'Settle',
  'Fail',
  'Void',
  'Enrich',
  'PutAttachment',
] as const;
export type LedgerCommand = (typeof LEDGER_COMMANDS)[number];

/** The state of an id: set by the feed's commands, or the status of a transaction from another source (§3.1). */
type EntryState =
  | 'unused'
  | 'authorized'
  | 'settled'
  | 'failed'
  | 'refused'
  | 'voided'
  | Exclude<TransactionStatus, 'financial' | 'authorization'>;

/** All legal transitions (§3.1). A refusal names the illegal one. */
export const TRANSITIONS: Readonly<Record<EntryState, Partial<Record<LedgerCommand, EntryState>>>> = {
  unused: {
    Post: 'settled',
    Authorize: 'authorized',
    Initiate: 'initiated',
    Schedule: 'future',
    Void: 'voided',
  },
  authorized: { Settle: 'settled', Fail: 'failed', ...enrichable('authorized') },
  initiated: { Settle: 'settled', Fail: 'failed', ...enrichable('initiated') },
  future: { Initiate: 'initiated', Settle: 'settled', Fail: 'failed', ...enrichable('future') },
  settled: enrichable('settled'),
  failed: enrichable('failed'),
  refused: {},
  voided: {},
  interim: enrichable('interim'),
  failed_authorization: enrichable('failed_authorization'),
  declined: enrichable('declined'),
  unknown: enrichable('unknown'),
};

/** Enrichment and attachments do not change the state. */
function enrichable<S extends EntryState>(state: S): { Enrich: S; PutAttachment: S } {
  return { Enrich: state, PutAttachment: state };
}

/** The fields of a transaction from which the ledger decides. */
export interface Entry {
  state: Exclude<EntryState, 'unused'>;
  accountId: string;
  currency: string;
  /** True for a pending or formerly pending transaction, and for one that was refused as pending. */
  wasPending: boolean;
  /** The amount of the first request, minor units. */
  askedAmount: bigint;
  /** The booked or reserved amount, minor units. */
  amount: bigint;
  postingTime: Date | null;
  balanceAfter: bigint | null;
}

/** Makes the refusal of a command that is illegal in the state of its id. */
export function illegalTransition(command: LedgerCommand, state: EntryState): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('illegal-transition', { command, state }));
}

/** Commands that create a transaction. */
export type OpeningCommand = 'Post' | 'Authorize' | 'Initiate' | 'Schedule';

const ENDS: readonly EntryState[] = ['authorized', 'settled', 'failed', 'refused'];

/** The states that each command may have led to by now: a late repetition changes nothing. */
const REPEATABLE: Readonly<Record<OpeningCommand, readonly EntryState[]>> = {
  Post: ENDS,
  Authorize: ENDS,
  Initiate: [...ENDS, 'initiated', 'future'],
  Schedule: [...ENDS, 'initiated', 'future'],
};

/**
 * Checks that a command repeats the transaction that has its id; enriched fields are not compared.
 * @throws ApiError DUPLICATE_ID (another one has the id), STATUS_INVALID (voided, or not of the feed), FUNDS_INSUFFICIENT (refused before)
 */
export function requireRepetition(
  command: OpeningCommand,
  entry: Entry,
  asked: { accountId: string; amount: { minorUnits: bigint; currency: string } },
): void {
  if (entry.accountId !== asked.accountId) throw new ApiError('DUPLICATE_ID', TEXTS('posting-differs'));
  if (!REPEATABLE[command].includes(entry.state)) throw illegalTransition(command, entry.state);
  const same =
    entry.wasPending === (command !== 'Post') &&
    entry.askedAmount === asked.amount.minorUnits &&
    entry.currency === asked.amount.currency;
  if (!same) throw new ApiError('DUPLICATE_ID', TEXTS('posting-differs'));
  if (entry.state === 'refused') throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
}
