import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import type { TransactionStatus } from '../transactions/transaction.model.ts';

/** What the feed can do with an id. */
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

/** Where an id stands: what the feed made of it, or the status of what it did not (§3.1). */
export type EntryState =
  | 'unused'
  | 'authorized'
  | 'settled'
  | 'failed'
  | 'refused'
  | 'voided'
  | Exclude<TransactionStatus, 'financial' | 'authorization'>;

/** Every transition that there is (§3.1); what is not here is refused by name. */
export const TRANSITIONS: Readonly<Record<EntryState, Partial<Record<LedgerCommand, EntryState>>>> = {
  unused: {
    Post: 'settled',
    Authorize: 'authorized',
    Initiate: 'initiated',
    Schedule: 'future',
    Void: 'voided',
  },
  authorized: { Settle: 'settled', Fail: 'failed', ...told('authorized') },
  initiated: { Settle: 'settled', Fail: 'failed', ...told('initiated') },
  future: { Initiate: 'initiated', Settle: 'settled', Fail: 'failed', ...told('future') },
  settled: told('settled'),
  failed: told('failed'),
  refused: {},
  voided: {},
  interim: told('interim'),
  failed_authorization: told('failed_authorization'),
  declined: told('declined'),
  unknown: told('unknown'),
};

/** What is there can be told more of. */
function told<S extends EntryState>(state: S): { Enrich: S; PutAttachment: S } {
  return { Enrich: state, PutAttachment: state };
}

/** What stands under an id. */
export interface Entry {
  state: Exclude<EntryState, 'unused'>;
  accountId: string;
  currency: string;
  /** Whether it is or was pending, or was refused when it was to be. */
  wasPending: boolean;
  /** Minor units: what was asked for first. */
  askedAmount: bigint;
  /** Minor units: what is booked or held. */
  amount: bigint;
  postingTime: Date | null;
  balanceAfter: bigint | null;
}

/** The refusal of a command that the state of its id does not have. */
export function illegalTransition(command: LedgerCommand, state: EntryState): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('illegal-transition', { command, state }));
}

/** How a transaction comes to be. */
export type Beginning = 'Post' | 'Authorize' | 'Initiate' | 'Schedule';

const ENDS: readonly EntryState[] = ['authorized', 'settled', 'failed', 'refused'];

/** Where each may have led by now: late news of an earlier state changes nothing. */
const REPEATABLE: Readonly<Record<Beginning, readonly EntryState[]>> = {
  Post: ENDS,
  Authorize: ENDS,
  Initiate: [...ENDS, 'initiated', 'future'],
  Schedule: [...ENDS, 'initiated', 'future'],
};

/**
 * Whether what begins a transaction asks for what stands under its id already; enrichment is no difference.
 * @throws ApiError DUPLICATE_ID (another one has the id), STATUS_INVALID (voided, or not of the feed), FUNDS_INSUFFICIENT (refused before)
 */
export function requireRepetition(
  command: Beginning,
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
