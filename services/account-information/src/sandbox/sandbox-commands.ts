import { inTransaction } from '@kontoport/database';
import { ApiError, toApiError } from '@kontoport/errors';
import { ConcurrencyLimiter, KeyedCounter, secondsLeft, WindowCounter } from '@kontoport/fairness';
import { resetBank } from '../account-data/sandbox/bank.ts';
import type { PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Booked, Posting, TransactionIds } from '../ledger/posting.model.ts';
import { TEXTS } from '../texts.ts';
import { moveClock } from './clock.repository.ts';
import { dropDue, dropNeedless, planEnd } from './due.repository.ts';
import { type Duration, lengthOf } from './duration.model.ts';
import { countEntry } from './entries.repository.ts';
import { type Clock, type DueOutcome, MAX_ENTRIES, MAX_WAITING } from './simulation.model.ts';

const DAY = 86_400_000;

/** Concurrent commands of one client, and of its organization: each may hold one of ten database connections. */
const MAX_AT_ONCE = { ofClient: 4, ofOrganization: 5 };

/** Concurrent resets, of which an organization has one: each writes a whole bank. */
const MAX_RESETS = 2;
/** Resets of an organization in a minute: each writes 14,000 rows. */
const MAX_RESETS_PER_MINUTE = 10;

/** Maximum lead of a clock: ten years. */
const MAX_AHEAD_MS = 3_653 * DAY;

/** The commands of a client to its simulated bank. */
export type SandboxCommands = ReturnType<typeof createSandboxCommands>;

/**
 * Writes to the ledger as the bank's feed does, for a client. The number and rate of a client's commands are limited, so
 * that no client fills the database or delays others.
 */
export function createSandboxCommands({
  db,
  ledger,
  organizationOf,
}: {
  db: Db;
  ledger: Ledger;
  organizationOf: (clientId: string) => string;
}) {
  const inProgress = new KeyedCounter();
  const limitResets = createResetLimit();

  const counted = async <T>(caller: PresentClient, work: () => Promise<T>): Promise<T> => {
    const { clientId } = caller;
    const organization = organizationOf(clientId);
    if (inProgress.of(clientId) >= MAX_AT_ONCE.ofClient)
      throw new ApiError('RATE_LIMITED', TEXTS('sandbox-at-once', { most: MAX_AT_ONCE.ofClient }));
    if (inProgress.of(organization) >= MAX_AT_ONCE.ofOrganization)
      throw new ApiError('RATE_LIMITED', TEXTS('sandbox-all-at-once', { most: MAX_AT_ONCE.ofOrganization }));
    for (const key of [clientId, organization]) inProgress.add(key, 1);
    try {
      requireRoom(await countEntry(db, caller));
      return await work();
    } finally {
      for (const key of [clientId, organization]) inProgress.add(key, -1);
    }
  };

  return {
    post: (caller: PresentClient, posting: Posting): Promise<Booked> =>
      counted(caller, async () => (await ledger.submit({ command: 'Post', ...posting }))!),

    /** @param end the automatic end of the transaction, `afterMs` from now by the bank's clock */
    authorize: (
      caller: PresentClient,
      posting: Posting,
      end: { outcome: DueOutcome; afterMs: number },
    ): Promise<void> =>
      counted(caller, async () => {
        const { transactionId, accountId } = posting;
        // The end is planned first: without a plan, an authorization would stay pending for ever.
        const planned = await planEnd(db, caller, { transactionId, accountId, ...end });
        if (planned === 'full')
          throw new ApiError('STATUS_INVALID', TEXTS('sandbox-waiting', { most: MAX_WAITING }));
        try {
          await ledger.submit({ command: 'Authorize', ...posting });
        } catch (error) {
          // Only a refusal deletes the plan. After a fault the authorization may be pending.
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
        const byMs = Math.min(lengthOf(advance, now), MAX_AHEAD_MS + 1);
        const moved = await inTransaction(db, (tx) => moveClock(tx, caller, { byMs, mostMs: MAX_AHEAD_MS }));
        if (moved === undefined)
          throw new ApiError('STATUS_INVALID', TEXTS('sandbox-too-far', { days: MAX_AHEAD_MS / DAY }));
        return moved;
      }),

    /** Starts the caller's bank over. @throws ApiError UNAVAILABLE while another reset runs; it does not count then */
    reset: (caller: PresentClient): Promise<void> => {
      const organization = organizationOf(caller.clientId);
      return limitResets(organization, () => counted(caller, () => resetBank(db, organization)));
    },
  };
}

/** Bounds the resets in progress, and those of an organization in a minute. */
function createResetLimit(): (organization: string, reset: () => Promise<void>) => Promise<void> {
  const limiter = new ConcurrencyLimiter({
    max: MAX_RESETS,
    maxPerKey: 1,
    refusal: () => new ApiError('UNAVAILABLE', TEXTS('resets-busy')),
  });
  const recent = new WindowCounter({ windowMs: 60_000 });
  return (organization, reset) =>
    limiter.run(organization, async () => {
      const now = new Date();
      const window = recent.count(organization, now);
      if (window.count > MAX_RESETS_PER_MINUTE)
        throw new ApiError('RATE_LIMITED', TEXTS('resets-many', { most: MAX_RESETS_PER_MINUTE }), {
          retryAfterSeconds: secondsLeft(window, now),
        });
      await reset();
    });
}

function requireRoom(outcome: Awaited<ReturnType<typeof countEntry>>): void {
  if (outcome === 'enough')
    throw new ApiError('STATUS_INVALID', TEXTS('sandbox-enough', { most: MAX_ENTRIES.inAll }));
  if (outcome === 'enough today')
    throw new ApiError('RATE_LIMITED', TEXTS('sandbox-enough-today', { most: MAX_ENTRIES.ofDay }), {
      retryAfterSeconds: Math.ceil((DAY - (Date.now() % DAY)) / 1_000),
    });
}
