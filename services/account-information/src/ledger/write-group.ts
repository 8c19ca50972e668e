import { inTransaction, type Tx } from '@kontoport/database';
import { type ApiError, isUnavailable, toApiError } from '@kontoport/errors';
import type { Relay } from '@kontoport/events';
import type { Db } from '../gen/db.ts';
import { decideEntry } from './decide-entry.model.ts';
import type { Booking, LedgerState } from './ledger-state.model.ts';
import {
  findAccounts,
  isIdConflict,
  type LedgerRow,
  lockStatement,
  readLedgerState,
  writeLedgerState,
} from './ledger-state.repository.ts';
import { postingEvent } from './posting-event.ts';
import type { Booked, LedgerEntry } from './posting.model.ts';
import { lockTransactions } from './stored-transaction.repository.ts';

/** An entry that was submitted to the ledger. */
export interface Submission {
  entry: LedgerEntry;
  /** Of the submitting trace. */
  traceparent: string | undefined;
}

/** The outcome of an entry: an answer, a refusal or a fault; undefined while another transaction locks its account. */
export type Outcome = { booked: Booked | undefined } | { error: ApiError } | 'locked';

/** Attempts of a group whose ids other transactions insert concurrently. */
const ATTEMPTS = 3;

interface Options {
  db: Db;
  relay: Relay;
}

/**
 * Decides entries in order and writes the changes, with the events, in one transaction. A refused entry does not affect
 * the others. When the group fails, its halves are written one after the other, until the faulty entry is alone.
 * @param options.wait whether to wait for the lock of the account, which must be a single one
 * @returns the outcomes, in the order of the entries; all of them are committed
 */
export async function writeGroup(
  deps: Options,
  submissions: readonly Submission[],
  options: { wait: boolean },
): Promise<Outcome[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const group = { submissions, accountIds: accountsOf(submissions), wait: options.wait };
      const transactionIds = submissions.map(({ entry }) => entry.transactionId);
      const outcomes = await inTransaction(deps.db, async (tx) => {
        const { rows } = await tx.query<LedgerRow>(lockStatement({ ...group, transactionIds }));
        return decideAll(tx, group, readLedgerState(rows));
      });
      deps.relay.wake();
      return outcomes;
    } catch (error) {
      if (attempt < ATTEMPTS && (error instanceof WriteConflict || isIdConflict(error))) continue;
      if (submissions.length === 1 || isUnavailable(error))
        return submissions.map(() => ({ error: toApiError(error) }));
      break;
    }
  }
  const middle = submissions.length >> 1;
  return [
    ...(await writeGroup(deps, submissions.slice(0, middle), options)),
    ...(await writeGroup(deps, submissions.slice(middle), options)),
  ];
}

/** Another transaction inserted an id since the read. The next attempt reads it. */
class WriteConflict extends Error {}

interface Group {
  submissions: readonly Submission[];
  accountIds: readonly string[];
  wait: boolean;
}

const accountsOf = (submissions: readonly Submission[]): string[] => [
  ...new Set(submissions.map(({ entry }) => entry.accountId)),
];

async function decideAll(
  tx: Tx,
  { submissions, accountIds, wait }: Group,
  state: LedgerState,
): Promise<Outcome[]> {
  const enriched = submissions.filter(({ entry }) => entry.command === 'Enrich');
  if (enriched.length > 0)
    state.stored = await lockTransactions(
      tx,
      enriched.map(({ entry }) => entry.transactionId),
    );
  const absent = accountIds.filter((id) => !state.accounts.has(id));
  const locked = wait || absent.length === 0 ? new Set<string>() : await findAccounts(tx, absent);
  const bookings: { booking: Booking; traceparent: string | undefined }[] = [];
  const outcomes = submissions.map(({ entry, traceparent }): Outcome => {
    if (locked.has(entry.accountId)) return 'locked';
    try {
      const { booked, booking } = decideEntry(state, entry);
      if (booking !== undefined) bookings.push({ booking, traceparent });
      return { booked };
    } catch (error) {
      return { error: toApiError(error) };
    }
  });
  const events = bookings.map(({ booking, traceparent }) => postingEvent(booking, traceparent));
  if (!(await writeLedgerState(tx, state, events))) throw new WriteConflict();
  return outcomes;
}
