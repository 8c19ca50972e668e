import { randomUUID } from 'node:crypto';
import { seal } from '@kontoport/database';
import { keyContext } from '../src/subscriptions/subscription.model.ts';
import type { Parts } from './running.ts';

/** Live subscriptions of a client to postings, as many as callbacks; written as the service writes them, only faster. */
export async function subscribeMany(
  { pool, env }: Pick<Parts, 'pool' | 'env'>,
  clientId: string,
  callbacks: readonly string[],
): Promise<void> {
  const secretsKey = Buffer.from(env.SECRETS_KEY!, 'base64url');
  const ids = callbacks.map(() => randomUUID());
  await pool.query(
    `INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at)
     SELECT id, $1, 'many-' || id, sealed_key, url, '{Posting.CreatedV1}', now() - interval '1 minute'
     FROM unnest($2::uuid[], $3::bytea[], $4::text[]) AS given (id, sealed_key, url)`,
    [clientId, ids, ids.map((id) => seal(secretsKey, 'k'.repeat(32), keyContext(id))), callbacks],
  );
}

/** The number of queues of these clients that a dispatcher holds. */
export async function queuesHeld({ pool }: Parts, clientIds: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int FROM subscription
     WHERE client_id = ANY ($1) AND claim_id IS NOT NULL AND lease_until > now()`,
    [clientIds],
  );
  return rows[0]!.count;
}
