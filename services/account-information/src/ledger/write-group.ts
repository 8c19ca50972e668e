import { inTransaction, type Tx } from '@kontoport/database';
import { type ApiError, isUnavailable, toApiError } from '@kontoport/errors';
import type { Relay } from '@kontoport/events';
import type { Db } from '../gen/db.ts';
import type { Book, Booking } from './book.model.ts';
import { type BookRow, findAccounts, isTaken, openingOf, readBook, writeBook } from './book.repository.ts';
import { decideEntry } from './decide-entry.model.ts';
import { lockTransactions } from './kept-transaction.repository.ts';
import { postingEvent } from './posting-event.ts';
import type { Booked, LedgerEntry } from './posting.model.ts';

/** An entry that came to the ledger. */
export interface Arrival {
  entry: LedgerEntry;
  /** Of the trace in which it came. */
  traceparent: string | undefined;
}

/** What became of one: an answer, a refusal or a fault, or nothing yet because its account is locked by others. */
export type Outcome = { booked: Booked | undefined } | { error: ApiError } | 'locked';

/** How often a group is tried anew because something came under one of its ids meanwhile. */
const ATTEMPTS = 3;

interface Options {
  db: Db;
  relay: Relay;
}

/**
 * Decides entries in turn and writes what follows, with the events, in one transaction. What is refused is refused
 * alone. A fault that lies in an entry shows when the halves are written one after the other.
 * @param options.wait for the account, which must be one
 * @returns the outcomes, in the order of the entries; all are kept before one is told
 */
export async function writeGroup(
  deps: Options,
  arrivals: readonly Arrival[],
  options: { wait: boolean },
): Promise<Outcome[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const group = { arrivals, accountIds: accountsOf(arrivals), wait: options.wait };
      const transactionIds = arrivals.map(({ entry }) => entry.transactionId);
      const outcomes = await inTransaction(deps.db, async (tx) => {
        const { rows } = await tx.query<BookRow>(openingOf({ ...group, transactionIds }));
        return decideAll(tx, group, readBook(rows));
      });
      deps.relay.wake();
      return outcomes;
    } catch (error) {
      if (attempt < ATTEMPTS && (error instanceof Overtaken || isTaken(error))) continue;
      if (arrivals.length === 1 || isUnavailable(error))
        return arrivals.map(() => ({ error: toApiError(error) }));
      break;
    }
  }
  const middle = arrivals.length >> 1;
  return [
    ...(await writeGroup(deps, arrivals.slice(0, middle), options)),
    ...(await writeGroup(deps, arrivals.slice(middle), options)),
  ];
}

/** Something stands under an id by now; decided again, it is seen. */
class Overtaken extends Error {}

interface Group {
  arrivals: readonly Arrival[];
  accountIds: readonly string[];
  wait: boolean;
}

const accountsOf = (arrivals: readonly Arrival[]): string[] => [
  ...new Set(arrivals.map(({ entry }) => entry.accountId)),
];

async function decideAll(tx: Tx, { arrivals, accountIds, wait }: Group, book: Book): Promise<Outcome[]> {
  const enriched = arrivals.filter(({ entry }) => entry.command === 'Enrich');
  if (enriched.length > 0)
    book.kept = await lockTransactions(
      tx,
      enriched.map(({ entry }) => entry.transactionId),
    );
  const absent = accountIds.filter((id) => !book.accounts.has(id));
  const locked = wait || absent.length === 0 ? new Set<string>() : await findAccounts(tx, absent);
  const bookings: { booking: Booking; traceparent: string | undefined }[] = [];
  const outcomes = arrivals.map(({ entry, traceparent }): Outcome => {
    if (locked.has(entry.accountId)) return 'locked';
    try {
      const { booked, booking } = decideEntry(book, entry);
      if (booking !== undefined) bookings.push({ booking, traceparent });
      return { booked };
    } catch (error) {
      return { error: toApiError(error) };
    }
  });
  const events = bookings.map(({ booking, traceparent }) => postingEvent(booking, traceparent));
  if (!(await writeBook(tx, book, events))) throw new Overtaken();
  return outcomes;
}
