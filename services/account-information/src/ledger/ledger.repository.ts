import type { Tx } from '@kontoport/database';
import { accessOfAccount } from '../consents/access-of-account.repository.ts';
import type { Posting } from './posting.model.ts';

/** What the ledger did with a posting. */
export interface Booked {
  postingTime: Date;
  /** Minor units of the account's currency. */
  balanceAfter: bigint;
}

/** A posting in its account, within a transaction that is still open. */
export interface OpenBooking extends Booked {
  /** Minor units that were booked. */
  amount: bigint;
  currency: string;
  bban: string;
  /** Available amount after the posting, minor units. */
  available: bigint;
  /** Ids of the clients with a live consent for the account. */
  audience: string[];
}

interface BookingRow {
  posting_time: Date;
  amount: string;
  balance: string;
  available: string;
  currency: string;
  bban: string;
  audience: string[];
}

/**
 * The moment of booking, where the bank gives none: the database's, and later than every such moment of the account
 * before, also when its clock was set back.
 */
const NEXT_POSTING_TIME = `greatest(
      date_trunc('milliseconds', clock_timestamp()), last_posting_time + interval '1 millisecond')`;

/**
 * Locks the account's row, books the posting and moves the balance, in one statement. Plain SQL: no row is read before
 * it is locked.
 * @returns undefined for an unknown account; the caller decides whether the transaction may commit
 * @throws the driver's unique violation when the transaction id is taken: see `isTaken`
 */
export async function bookPosting(tx: Tx, posting: Posting): Promise<OpenBooking | undefined> {
  const { transactionId, accountId, amount, original, transactionTime, postingTime, title, type, details } =
    posting;
  const { rows } = await tx.query<BookingRow>({
    name: 'book-posting',
    text: `WITH moved AS (
  UPDATE account SET
    balance = balance + $3::bigint,
    last_posting_time = CASE WHEN $8::timestamptz IS NULL THEN ${NEXT_POSTING_TIME} ELSE last_posting_time END
  WHERE id = $2::uuid
  RETURNING id, balance, available, currency, bban, coalesce($8::timestamptz, last_posting_time) AS posting_time
), booked AS (
  INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time, billing_amount,
    transaction_amount, transaction_currency, balance_after, title, details)
  SELECT $1::uuid, id, 'financial', $5, coalesce($4::timestamptz, posting_time), posting_time, $3::bigint,
    $9::bigint, $10, balance, $6, $7::json
  FROM moved
)
SELECT posting_time, $3::bigint AS amount, balance, available, currency, bban,
  ARRAY(SELECT DISTINCT client_id::text FROM ${accessOfAccount('$2')}) AS audience
FROM moved`,
    values: [
      transactionId,
      accountId,
      amount.minorUnits,
      transactionTime,
      type,
      title,
      JSON.stringify(details),
      postingTime,
      original?.minorUnits,
      original?.currency,
    ],
  });
  return bookingOf(rows);
}

/**
 * Books an authorization that is pending, releases what it held and moves the balance, in one statement. The
 * authorization is locked before the account, as in `releaseAuthorization`; a Post of its id waits for neither.
 * @returns undefined when the account has no such pending authorization
 */
export async function settleAuthorization(
  tx: Tx,
  options: {
    transactionId: string;
    accountId: string;
    amount: bigint | undefined;
    postingTime: Date | undefined;
  },
): Promise<OpenBooking | undefined> {
  const { transactionId, accountId, amount, postingTime } = options;
  const { rows } = await tx.query<BookingRow>({
    name: 'settle-authorization',
    text: `WITH held AS (
  SELECT billing_amount FROM transaction
  WHERE id = $1::uuid AND account_id = $2::uuid AND status = 'authorization' AND removed_at IS NULL FOR UPDATE
), moved AS (
  UPDATE account SET
    balance = balance + coalesce($3::bigint, held.billing_amount),
    reserved = reserved - greatest(-held.billing_amount, 0),
    last_posting_time = CASE WHEN $4::timestamptz IS NULL THEN ${NEXT_POSTING_TIME} ELSE last_posting_time END
  FROM held WHERE account.id = $2::uuid
  RETURNING coalesce($4::timestamptz, last_posting_time) AS posting_time,
    coalesce($3::bigint, held.billing_amount) AS amount, held.billing_amount AS held, balance, available, currency, bban
), settled AS (
  UPDATE transaction SET status = 'financial', posting_time = moved.posting_time, billing_amount = moved.amount,
    authorized_amount = moved.held, balance_after = moved.balance
  FROM moved WHERE id = $1::uuid
)
SELECT posting_time, amount, balance, available, currency, bban,
  ARRAY(SELECT DISTINCT client_id::text FROM ${accessOfAccount('$2')}) AS audience
FROM moved`,
    values: [transactionId, accountId, amount, postingTime],
  });
  return bookingOf(rows);
}

/**
 * Removes an authorization that is pending from the lists and releases what it held, in one statement.
 * @returns false when the account has no such pending authorization
 */
export async function releaseAuthorization(
  tx: Tx,
  { transactionId, accountId }: { transactionId: string; accountId: string },
): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'release-authorization',
    text: `WITH held AS (
  SELECT billing_amount FROM transaction
  WHERE id = $1::uuid AND account_id = $2::uuid AND status = 'authorization' AND removed_at IS NULL FOR UPDATE
), released AS (
  UPDATE account SET reserved = reserved - greatest(-held.billing_amount, 0)
  FROM held WHERE account.id = $2::uuid RETURNING held.billing_amount AS held
), failed AS (
  UPDATE transaction SET status = 'failed_authorization', removed_at = clock_timestamp(), authorized_amount = released.held
  FROM released WHERE id = $1::uuid
)
SELECT FROM released`,
    values: [transactionId, accountId],
  });
  return rows.length > 0;
}

/**
 * Adds an authorization and reserves what it debits, in one statement.
 * @returns undefined for an unknown account; the caller decides whether the transaction may commit
 * @throws the driver's unique violation when the transaction id is taken: see `isTaken`
 */
export async function holdAuthorization(
  tx: Tx,
  posting: Posting,
): Promise<{ currency: string; available: bigint } | undefined> {
  const { transactionId, accountId, amount, original, transactionTime, title, type, details } = posting;
  const { rows } = await tx.query<{ currency: string; available: string }>({
    name: 'hold-authorization',
    text: `WITH moved AS (
  UPDATE account SET reserved = reserved + greatest(-$3::bigint, 0) WHERE id = $2::uuid
  RETURNING id, currency, available
), held AS (
  INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, transaction_amount,
    transaction_currency, authorized_amount, title, details)
  SELECT $1::uuid, id, 'authorization', $5, coalesce($4::timestamptz, clock_timestamp()), $3::bigint, $8::bigint,
    $9, $3::bigint, $6, $7::json
  FROM moved
)
SELECT currency, available FROM moved`,
    values: [
      transactionId,
      accountId,
      amount.minorUnits,
      transactionTime,
      type,
      title,
      JSON.stringify(details),
      original?.minorUnits,
      original?.currency,
    ],
  });
  const [row] = rows;
  return row && { currency: row.currency, available: BigInt(row.available) };
}

function bookingOf([row]: BookingRow[]): OpenBooking | undefined {
  return (
    row && {
      postingTime: row.posting_time,
      amount: BigInt(row.amount),
      balanceAfter: BigInt(row.balance),
      available: BigInt(row.available),
      currency: row.currency,
      bban: row.bban,
      audience: row.audience,
    }
  );
}

/** Whether a statement failed because the transaction id is taken. */
export function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'transaction_pkey';
}
