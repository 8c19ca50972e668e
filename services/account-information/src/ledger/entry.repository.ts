import type { Tx } from '@kontoport/database';
import type { Entry } from './entry.model.ts';
import type { Posting } from './posting.model.ts';

interface EntryRow {
  account_id: string;
  currency: string;
  status: string;
  refusal: string | null;
  billing_amount: string;
  authorized_amount: string | null;
  posting_time: Date | null;
  balance_after: string | null;
  removed: boolean;
}

/** What stands under an id. */
export async function findEntry(tx: Tx, transactionId: string): Promise<Entry | undefined> {
  const { rows } = await tx.query<EntryRow>({
    name: 'find-entry',
    // The account is looked up by the transaction's, whatever the planner takes the tables for.
    text: `SELECT account_id, owner.currency, status, refusal, billing_amount, authorized_amount, posting_time,
  balance_after, removed_at IS NOT NULL AS removed
FROM transaction CROSS JOIN LATERAL (
  SELECT currency FROM account WHERE account.id = transaction.account_id OFFSET 0
) AS owner
WHERE transaction.id = $1::uuid`,
    values: [transactionId],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    state: stateOf(row),
    accountId: row.account_id,
    currency: row.currency,
    // The sandbox's own pending transactions did not come through the ledger.
    wasAuthorized: row.authorized_amount !== null || (row.posting_time === null && row.refusal === null),
    askedAmount: BigInt(row.authorized_amount ?? row.billing_amount),
    amount: BigInt(row.billing_amount),
    postingTime: row.posting_time,
    balanceAfter: row.balance_after === null ? null : BigInt(row.balance_after),
  };
}

function stateOf({ refusal, posting_time: postingTime, removed }: EntryRow): Entry['state'] {
  if (refusal !== null) return refusal === 'VOIDED' ? 'voided' : 'refused';
  if (postingTime !== null) return 'settled';
  return removed ? 'failed' : 'authorized';
}

/**
 * Keeps an id from ever booking, unless something stands under it: then nothing happens.
 * @returns false when the account is unknown
 */
export async function keepFromBooking(
  tx: Tx,
  options: { transactionId: string; accountId: string; refusal: 'FUNDS_INSUFFICIENT' | 'VOIDED' } & (
    | { posting: Posting; kind: 'Post' | 'Authorize' }
    | { posting?: undefined; kind?: undefined }
  ),
): Promise<boolean> {
  const { transactionId, accountId, refusal, posting, kind } = options;
  const amount = posting?.amount.minorUnits ?? 0n;
  const { rows } = await tx.query({
    name: 'keep-from-booking',
    text: `WITH kept AS (
  INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, authorized_amount, title,
    details, removed_at, refusal)
  SELECT $1::uuid, id, 'declined', 'unknown', now(), $4::bigint, $5::bigint, '', '{}', now(), $3
  FROM account WHERE id = $2::uuid
  ON CONFLICT (id) DO NOTHING
)
SELECT FROM account WHERE id = $2::uuid`,
    values: [transactionId, accountId, refusal, amount, kind === 'Authorize' ? amount : null],
  });
  return rows.length > 0;
}
