import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../gen/db.ts';
import { isAwaited } from './directory.repository.ts';

/** For how long a watcher may decide from its memory, counted from its sending of the echoed request. */
export const LEASE_MS = 5_000;

/** Beyond the lease, for clocks that do not run alike. */
const LEASE_MARGIN_MS = 500;

/** After this time from a change no watcher can still decide without it, whatever happened to it. */
export const LAST_LEASE_MS = LEASE_MS + LEASE_MARGIN_MS;

/** What gives somebody more is known everywhere by then in the usual case; nobody waits longer for a service that is slow. */
export const USUAL_PROPAGATION_MS = 1_000;

const POLL_MS = 20;

/**
 * Waits until every live watcher of every service has acknowledged a committed change, at most `limitMs` milliseconds.
 * A watcher counts as live until its lease has run out. With a limit of `LAST_LEASE_MS` the return of this function
 * proves that nobody decides without the change any more, also when the database went away in the meantime: leases
 * granted before the commit have ended by then, and none granted later precedes the change.
 * @returns whether all acknowledged before the limit
 */
export async function awaitPropagation(options: {
  db: Db;
  revision: bigint;
  limitMs: number;
  signal: AbortSignal;
}): Promise<{ acknowledged: boolean }> {
  const { db, revision, limitMs, signal } = options;
  const over = new AbortController();
  const limit = sleep(limitMs, 'limit' as const, { signal: over.signal });
  limit.catch(() => {});
  try {
    while (!signal.aborted) {
      const state = await Promise.race([limit, isAwaited(db, { revision, leaseMs: LAST_LEASE_MS })]).catch(
        () => true,
      );
      if (state === false) return { acknowledged: true };
      if (state === 'limit') break;
      if ((await Promise.race([limit, sleep(POLL_MS)])) === 'limit') break;
    }
    return { acknowledged: false };
  } finally {
    over.abort();
  }
}
