import type { Tx } from '@kontoport/database';
import type { RateLimits, Usage } from '@kontoport/gate';
import { type Logger, Loop } from '@kontoport/lifecycle';

/**
 * The table in which the replicas of a service add up the requests of callers. The migrations of replicated services
 * contain this text. The table is unlogged: a crash loses counts of a short window only.
 */
export const USAGE_TABLE = `CREATE UNLOGGED TABLE request_usage (
  key text PRIMARY KEY,
  ends_at timestamptz(3) NOT NULL,
  requests bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`;

const EVERY_MS = 1_000;
const SWEEP_MS = 60_000;

/**
 * Adds up the counts of all replicas every second, outside of requests. While the database is unavailable, each
 * replica applies the limits to its own requests only.
 * One SQL statement deletes the ended counts (batch).
 */
export function shareUsage({
  limits,
  usage: tx,
  logger,
}: {
  limits: RateLimits;
  usage: Tx;
  logger: Logger;
}): Loop {
  let sweptAt = 0;
  return new Loop({
    name: 'shared rate limits',
    everyMs: EVERY_MS,
    logger,
    async work() {
      const now = new Date();
      const shared = limits.report(now);
      if (shared.length > 0) limits.merge(await addUp(tx, shared));
      if (now.getTime() - sweptAt < SWEEP_MS) return;
      await tx.query({
        name: 'usage-sweep',
        text: 'DELETE FROM request_usage WHERE ends_at < $1',
        // A replica with another clock may still count in it.
        values: [new Date(now.getTime() - SWEEP_MS)],
      });
      sweptAt = now.getTime();
    },
  });
}

/** Adds to the windows and returns their sums, without windows that a later one replaced. */
async function addUp(tx: Tx, usages: readonly Usage[]): Promise<Usage[]> {
  const { rows } = await tx.query<{ key: string; endsAt: Date; requests: string }>({
    name: 'usage-add',
    // All replicas use the same order, so that they cannot deadlock.
    text: `INSERT INTO request_usage AS known (key, ends_at, requests)
           SELECT key, ends_at, requests
           FROM unnest($1::text[], $2::timestamptz[], $3::bigint[]) AS shared (key, ends_at, requests) ORDER BY key
           ON CONFLICT (key) DO UPDATE SET
             ends_at = excluded.ends_at,
             requests = excluded.requests + CASE WHEN known.ends_at = excluded.ends_at THEN known.requests ELSE 0 END
           WHERE known.ends_at <= excluded.ends_at
           RETURNING key, ends_at AS "endsAt", requests`,
    values: [
      usages.map(({ key }) => key),
      usages.map(({ endsAt }) => endsAt.toISOString()),
      usages.map(({ requests }) => requests),
    ],
  });
  return rows.map(({ requests, ...row }) => ({ ...row, requests: Number(requests) }));
}
