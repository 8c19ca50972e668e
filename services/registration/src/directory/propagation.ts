import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../gen/db.ts';
import { isAwaited } from './directory.repository.ts';

/** Milliseconds for which a watcher may decide from its copy, from the moment it sent the echoed request. */
export const LEASE_MS = 5_000;

/** Added to the lease, for clocks of different speed. */
const LEASE_MARGIN_MS = 500;

/** After this time no watcher can decide without a committed change. */
export const LAST_LEASE_MS = LEASE_MS + LEASE_MARGIN_MS;

/** Limit for changes that grant something: it usually suffices, and no caller waits longer for a slow service. */
export const USUAL_PROPAGATION_MS = 1_000;

const POLL_MS = 20;

/**
 * Waits until every live watcher of every service has acknowledged a committed change, at most `limitMs` milliseconds.
 * A watcher is live until its lease ends. With a limit of `LAST_LEASE_MS` no watcher decides without the change when
 * this function returns, even if the database failed meanwhile: leases from before the commit have ended by then, and later
 * leases include the change.
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
