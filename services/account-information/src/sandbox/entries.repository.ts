import type { Tx } from '@kontoport/database';
import type { PresentClient } from '../accounts/account.model.ts';
import { MAX_ENTRIES } from './simulation.model.ts';

/** Counts an entry of a client, or returns the limit that is reached. Days are in UTC. SQL (one statement). */
export async function countEntry(
  tx: Tx,
  { clientId }: PresentClient,
): Promise<'counted' | 'enough today' | 'enough'> {
  const { rows } = await tx.query<{ counted: boolean; enough: boolean }>({
    name: 'count-entry',
    text: `WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day), counted AS (
  UPDATE sandbox_client SET entries = entries + 1, entries_day = day,
    entries_of_day = CASE WHEN entries_day = day THEN entries_of_day ELSE 0 END + 1
  FROM today
  WHERE client_id = $1::uuid AND entries < $3 AND (entries_day IS DISTINCT FROM day OR entries_of_day < $2)
  RETURNING client_id
)
SELECT EXISTS (SELECT FROM counted) AS counted,
  (SELECT entries >= $3 FROM sandbox_client WHERE client_id = $1::uuid) AS enough`,
    values: [clientId, MAX_ENTRIES.ofDay, MAX_ENTRIES.inAll],
  });
  const [{ counted, enough }] = rows as [(typeof rows)[0]];
  if (counted) return 'counted';
  return enough ? 'enough' : 'enough today';
}
