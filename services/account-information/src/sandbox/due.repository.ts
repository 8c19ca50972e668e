import type { Tx } from '@kontoport/database';
import type { PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import { type Due, type DueOutcome, MAX_WAITING } from './simulation.model.ts';

/**
 * Plans the end of a transaction before its authorization. A known transaction keeps its plan. SQL (one statement): it
 * counts, decides and plans.
 * @returns `full` when too many transactions of the client's bank wait
 */
export async function planEnd(
  tx: Tx,
  { clientId }: PresentClient,
  plan: { transactionId: string; accountId: string; outcome: DueOutcome; afterMs: number },
): Promise<'planned' | 'known' | 'full'> {
  const { rows } = await tx.query<{ outcome: 'planned' | 'known' | 'full' }>({
    name: 'plan-end',
    text: `WITH waiting AS (
  SELECT count(*) AS count FROM (
    SELECT FROM sandbox_due
    WHERE organization = (SELECT organization FROM sandbox_client WHERE client_id = $1::uuid) LIMIT $6::bigint
  ) AS few
), known AS (
  SELECT FROM sandbox_due WHERE transaction_id = $2::uuid UNION ALL SELECT FROM transaction WHERE id = $2::uuid
), planned AS (
  INSERT INTO sandbox_due (transaction_id, account_id, organization, outcome, ends_at, due_at)
  SELECT $2::uuid, $3::uuid, (SELECT organization FROM sandbox_client WHERE client_id = $1::uuid), $4::text, client_now($1::uuid) + $5::bigint * interval '1 millisecond',
    now() + $5::bigint * interval '1 millisecond'
  FROM waiting WHERE count < $6::bigint AND NOT EXISTS (SELECT FROM known)
  ON CONFLICT (transaction_id) DO NOTHING
  RETURNING transaction_id
)
SELECT CASE WHEN EXISTS (SELECT FROM planned) THEN 'planned'
  WHEN count < $6::bigint OR EXISTS (SELECT FROM known) THEN 'known' ELSE 'full' END AS outcome
FROM waiting`,
    values: [clientId, plan.transactionId, plan.accountId, plan.outcome, plan.afterMs, MAX_WAITING],
  });
  return rows[0]!.outcome;
}

/** Removes a transaction from the due list unless it is pending. SQL (one statement): it decides and deletes. */
export async function dropNeedless(
  tx: Tx,
  { transactionId, accountId }: { transactionId: string; accountId: string },
): Promise<void> {
  await tx.query({
    name: 'drop-needless-due',
    text: `DELETE FROM sandbox_due WHERE transaction_id = $1::uuid AND account_id = $2::uuid AND NOT EXISTS (
  SELECT FROM transaction WHERE id = $1::uuid AND account_id = $2::uuid
    AND status = 'authorization' AND removed_at IS NULL)`,
    values: [transactionId, accountId],
  });
}

/**
 * Claims due transactions for `leaseMs`, except those that another replica has claimed. For a minute, a plan waits for its
 * transaction, which is authorized after it. SQL (lock).
 */
export async function claimDue(
  tx: Tx,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Due[]> {
  const { rows } = await tx.query<Due>({
    name: 'claim-due',
    // By a list of ids, here and in the sweep of clients: for a join, a plan made for few rows could read all rows.
    text: `UPDATE sandbox_due SET claimed_until = now() + $2 * interval '1 millisecond'
WHERE transaction_id = ANY (ARRAY(
  SELECT transaction_id FROM sandbox_due
  WHERE due_at <= now() AND (claimed_until IS NULL OR claimed_until < now())
    AND (due_at < now() - interval '1 minute' OR EXISTS (SELECT FROM transaction WHERE id = transaction_id))
  ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
))
RETURNING transaction_id AS "transactionId", account_id AS "accountId", outcome, ends_at AS "endsAt"`,
    values: [limit, leaseMs],
  });
  return rows;
}

/** Removes ended transactions from the due list. */
export async function dropDue(db: Db, transactionIds: readonly string[]): Promise<void> {
  await db.prisma.sandboxDue.deleteMany({ where: { transactionId: { in: [...transactionIds] } } });
}
