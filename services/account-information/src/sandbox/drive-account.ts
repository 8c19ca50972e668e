import { inTransaction } from '@kontoport/database';
import { ApiError, toApiError } from '@kontoport/errors';
import { KeyedCounter } from '@kontoport/fairness';
import type { PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Booked, Posting, TransactionIds } from '../ledger/posting.model.ts';
import { TEXTS } from '../texts.ts';
import { moveClock } from './clock.repository.ts';
import { dropDue, dropNeedless, planEnd } from './due.repository.ts';
import { type Duration, lengthOf } from './duration.model.ts';
import { countEntry } from './entries.repository.ts';
import { type Clock, type DueOutcome, MOST_ENTRIES, MOST_WAITING } from './simulation.model.ts';

const DAY = 86_400_000;

/** Changes of one client in progress: each takes a connection that others need, too. */
const MOST_AT_ONCE = 4;

/** The furthest that a clock can be ahead: ten years. */
export const MOST_AHEAD_MS = 3_653 * DAY;

/** The changes that a client makes to its simulated bank. */
export type Drive = ReturnType<typeof createDrive>;

/**
 * Does what a bank's feed does, on behalf of a client: through the same use cases, and bounded in number and rate, so that
 * no client fills the database or delays others.
 */
export function createDrive({ db, ledger }: { db: Db; ledger: Ledger }) {
  const inHand = new KeyedCounter();

  const counted = async <T>(caller: PresentClient, work: () => Promise<T>): Promise<T> => {
    const { clientId } = caller;
    if (inHand.of(clientId) >= MOST_AT_ONCE)
      throw new ApiError('RATE_LIMITED', TEXTS('sandbox-at-once', { most: MOST_AT_ONCE }));
    inHand.add(clientId, 1);
    try {
      requireRoom(await countEntry(db, caller));
      return await work();
    } finally {
      inHand.add(clientId, -1);
    }
  };

  return {
    post: (caller: PresentClient, posting: Posting): Promise<Booked> =>
      counted(caller, async () => (await ledger.submit({ command: 'Post', ...posting }))!),

    /** @param end how the transaction ends by itself, `afterMs` from now by the bank's clock */
    authorize: (
      caller: PresentClient,
      posting: Posting,
      end: { outcome: DueOutcome; afterMs: number },
    ): Promise<void> =>
      counted(caller, async () => {
        const { transactionId, accountId } = posting;
        // Planned first: an authorization without a planned end would be pending for ever.
        const planned = await planEnd(db, caller, { transactionId, accountId, ...end });
        if (planned === 'full')
          throw new ApiError('STATUS_INVALID', TEXTS('sandbox-waiting', { most: MOST_WAITING }));
        try {
          await ledger.submit({ command: 'Authorize', ...posting });
        } catch (error) {
          // A refused authorization must not take a place on the list; after a fault it may be pending all the same.
          if (planned === 'planned' && toApiError(error).status < 500)
            await dropNeedless(db, { transactionId, accountId });
          throw error;
        }
      }),

    settle: (
      caller: PresentClient,
      settlement: TransactionIds & { amount: Posting['amount'] | undefined },
    ): Promise<Booked> =>
      counted(caller, async () => {
        const booked = await ledger.submit({ command: 'Settle', ...settlement, postingTime: undefined });
        await dropDue(db, [settlement.transactionId]);
        return booked!;
      }),

    fail: (caller: PresentClient, ids: TransactionIds): Promise<void> =>
      counted(caller, async () => {
        await ledger.submit({ command: 'Fail', ...ids });
        await dropDue(db, [ids.transactionId]);
      }),

    /** @throws ApiError STATUS_INVALID when the clock would be too far ahead */
    advance: (caller: PresentClient, { now }: Clock, advance: Duration): Promise<Clock> =>
      counted(caller, async () => {
        const byMs = Math.min(lengthOf(advance, now), MOST_AHEAD_MS + 1);
        const moved = await inTransaction(db, (tx) => moveClock(tx, caller, { byMs, mostMs: MOST_AHEAD_MS }));
        if (moved === undefined)
          throw new ApiError('STATUS_INVALID', TEXTS('sandbox-too-far', { days: MOST_AHEAD_MS / DAY }));
        return moved;
      }),
  };
}

function requireRoom(outcome: Awaited<ReturnType<typeof countEntry>>): void {
  if (outcome === 'enough')
    throw new ApiError('STATUS_INVALID', TEXTS('sandbox-enough', { most: MOST_ENTRIES.inAll }));
  if (outcome === 'enough today')
    throw new ApiError('RATE_LIMITED', TEXTS('sandbox-enough-today', { most: MOST_ENTRIES.ofDay }), {
      retryAfterSeconds: Math.ceil((DAY - (Date.now() % DAY)) / 1_000),
    });
}
