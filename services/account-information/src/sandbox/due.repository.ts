import type { Tx } from '@kontoport/database';
import type { PresentClient } from '../consents/caller.model.ts';
import { type Due, type DueOutcome, MOST_WAITING } from './simulation.model.ts';

/**
 * Plans the end of a transaction that is about to be authorized; one that is planned already stays as it is.
 * @returns false when too many of the client wait already
 */
export async function planEnd(
  tx: Tx,
  { clientId }: PresentClient,
  plan: { transactionId: string; accountId: string; outcome: DueOutcome; afterMs: number },
): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'plan-end',
    text: `WITH waiting AS (
  SELECT count(*) AS count FROM (SELECT FROM sandbox_due WHERE client_id = $1::uuid LIMIT $6::bigint) AS few
), planned AS (
  INSERT INTO sandbox_due (transaction_id, account_id, client_id, outcome, ends_at, due_at)
  SELECT $2::uuid, $3::uuid, $1::uuid, $4::text, client_now($1::uuid) + $5::bigint * interval '1 millisecond',
    now() + $5::bigint * interval '1 millisecond'
  FROM waiting WHERE count < $6::bigint
  ON CONFLICT (transaction_id) DO NOTHING
)
SELECT FROM waiting WHERE count < $6::bigint`,
    values: [clientId, plan.transactionId, plan.accountId, plan.outcome, plan.afterMs, MOST_WAITING],
  });
  return rows.length > 0;
}

/** Claims what is due for `leaseMs`; what another replica has in hand is passed over. */
export async function claimDue(
  tx: Tx,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Due[]> {
  const { rows } = await tx.query<Due>({
    name: 'claim-due',
    text: `UPDATE sandbox_due SET claimed_until = now() + $2 * interval '1 millisecond'
FROM (
  SELECT transaction_id AS id FROM sandbox_due
  WHERE due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
  ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
) AS due
WHERE transaction_id = due.id
RETURNING transaction_id AS "transactionId", account_id AS "accountId", outcome, ends_at AS "endsAt"`,
    values: [limit, leaseMs],
  });
  return rows;
}

/** Takes transactions that have ended off the list. */
export async function dropDue(tx: Tx, transactionIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'drop-due',
    text: 'DELETE FROM sandbox_due WHERE transaction_id = ANY ($1::uuid[])',
    values: [transactionIds],
  });
}
