import type { Tx } from '@kontoport/database';
import type { Posting } from './posting.model.ts';

/** What the ledger did with a posting. */
export interface Booked {
  postingTime: Date;
  /** Minor units of the account's currency. */
  balanceAfter: bigint;
}

/** A posting in its account, within a transaction that is still open. */
export interface OpenBooking extends Booked {
  currency: string;
  bban: string;
  /** Available amount after the posting, minor units. */
  available: bigint;
  /** Ids of the clients with a live consent for the account. */
  audience: string[];
}

/**
 * Locks the account's row, books the posting and moves the balance, in one statement. The booking time is the
 * database's, and later than that of every earlier posting of the account, also when its clock was set back.
 * Plain SQL: no row is read before it is locked.
 * @returns undefined for an unknown account; the caller decides whether the transaction may commit
 * @throws the driver's unique violation when the transaction id is taken: see `isTaken`
 */
export async function bookPosting(tx: Tx, posting: Posting): Promise<OpenBooking | undefined> {
  const { transactionId, accountId, amount, transactionTime, title, type, details, contentHash } = posting;
  const { rows } = await tx.query<{
    posting_time: Date;
    balance: string;
    available: string;
    currency: string;
    bban: string;
    audience: string[];
  }>({
    name: 'book-posting',
    text: `WITH moved AS (
  UPDATE account SET
    balance = balance + $3::bigint,
    last_posting_time = greatest(
      date_trunc('milliseconds', clock_timestamp()), last_posting_time + interval '1 millisecond')
  WHERE id = $2::uuid
  RETURNING id, balance, available, currency, bban, last_posting_time AS posting_time
), booked AS (
  INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time, billing_amount,
    transaction_amount, transaction_currency, balance_after, title, details, content_hash)
  SELECT $1::uuid, id, 'financial', $5, coalesce($4::timestamptz, posting_time), posting_time, $3::bigint,
    $3::bigint, currency, balance, $6, $7::json, $8::bytea
  FROM moved
)
SELECT posting_time, balance, available, currency, bban,
  ARRAY(SELECT DISTINCT client_id::text FROM account_access WHERE account_id = $2::uuid) AS audience
FROM moved`,
    values: [
      transactionId,
      accountId,
      amount.minorUnits,
      transactionTime,
      type,
      title,
      JSON.stringify(details),
      contentHash,
    ],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    postingTime: row.posting_time,
    balanceAfter: BigInt(row.balance),
    available: BigInt(row.available),
    currency: row.currency,
    bban: row.bban,
    audience: row.audience,
  };
}

/** What was booked under the posting's id, when it was this very posting. */
export async function findBooked(
  tx: Tx,
  { transactionId, contentHash }: Posting,
): Promise<Booked | undefined> {
  const { rows } = await tx.query<{ posting_time: Date; balance_after: string }>(
    'SELECT posting_time, balance_after FROM transaction WHERE id = $1 AND content_hash = $2',
    [transactionId, contentHash],
  );
  const [row] = rows;
  return row && { postingTime: row.posting_time, balanceAfter: BigInt(row.balance_after) };
}

/** Whether `bookPosting` failed because the transaction id is taken. */
export function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'transaction_pkey';
}
