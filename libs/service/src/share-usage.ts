import type { Tx } from '@kontoport/database';
import type { RateLimits, Usage } from '@kontoport/gate';
import { type Logger, Loop } from '@kontoport/lifecycle';

/**
 * The table in which the replicas of a service add up the requests of their callers; the migration of a service that has
 * replicas contains this text. What a crash takes of it are counts of a window that has ended soon: it is not logged.
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
 * Adds up, each second, what this replica has counted and what the others have; nobody's request waits for it. While the
 * database is away each replica counts for itself.
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
      const told = limits.tell(now);
      if (told.length > 0) limits.hear(await addUp(tx, told));
      if (now.getTime() - sweptAt < SWEEP_MS) return;
      await tx.query({
        name: 'usage-sweep',
        text: 'DELETE FROM request_usage WHERE ends_at < $1',
        // Who has another clock may count in it still.
        values: [new Date(now.getTime() - SWEEP_MS)],
      });
      sweptAt = now.getTime();
    },
  });
}

/** Adds to the windows, and tells what they hold then; one that has given way to a later one is not told. */
async function addUp(tx: Tx, usages: readonly Usage[]): Promise<Usage[]> {
  const { rows } = await tx.query<{ key: string; endsAt: Date; requests: string }>({
    name: 'usage-add',
    // In one order for all, so that replicas wait for each other and never in a circle.
    text: `INSERT INTO request_usage AS known (key, ends_at, requests)
           SELECT key, ends_at, requests
           FROM unnest($1::text[], $2::timestamptz[], $3::bigint[]) AS told (key, ends_at, requests) ORDER BY key
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
