import { randomUUID } from 'node:crypto';
import { inTransaction } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { addToOutbox, outboxEvent, type Relay } from '@kontoport/events';
import { formatMoney } from '@kontoport/money';
import type { Db } from '../db.ts';
import { TEXTS } from '../texts.ts';
import { type Booked, bookPosting, findBooked, isTaken, type OpenBooking } from './ledger.repository.ts';
import type { Posting } from './posting.model.ts';

/**
 * Books a posting and its event in one database transaction. The same posting again gets the first answer and
 * changes nothing. Postings on one account follow each other; those on different accounts do not meet.
 * @throws ApiError RESOURCE_UNKNOWN (no such account), FORMAT_ERROR (another currency), FUNDS_INSUFFICIENT,
 *   DUPLICATE_ID (another transaction has the id).
 */
export async function postTransaction(
  { db, relay }: { db: Db; relay: Relay },
  posting: Posting,
): Promise<Booked> {
  try {
    const booked = await inTransaction(db, async (tx) => {
      const booking = requireAllowed(await bookPosting(tx, posting), posting);
      await addToOutbox(tx, eventOf(posting, booking));
      return booking;
    });
    relay.wake();
    return booked;
  } catch (error) {
    if (!isTaken(error)) throw error;
    const first = await findBooked(db, posting);
    if (first === undefined) throw new ApiError('DUPLICATE_ID', TEXTS('posting-differs'));
    return first;
  }
}

/** A refusal here rolls the booking back; that it comes after the booking lets a repetition find its first answer. */
function requireAllowed(booking: OpenBooking | undefined, { amount, requireFunds }: Posting): OpenBooking {
  if (booking === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
  if (booking.currency !== amount.currency)
    throw new ApiError('FORMAT_ERROR', TEXTS('other-currency'), {
      details: [{ path: 'amount.currency', text: TEXTS('must-be', { value: booking.currency }) }],
    });
  if (requireFunds && amount.minorUnits < 0n && booking.available < 0n)
    throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
  return booking;
}

function eventOf(
  { transactionId, accountId, amount }: Posting,
  { bban, audience, postingTime }: OpenBooking,
) {
  const credit = amount.minorUnits > 0n;
  const minorUnits = credit ? amount.minorUnits : -amount.minorUnits;
  const time = postingTime.toISOString();
  return outboxEvent('Posting.CreatedV1', {
    eventId: randomUUID(),
    eventTime: time,
    audience,
    accountId,
    accountNumber: bban,
    ledgerPostingId: transactionId,
    amountValue: formatMoney({ ...amount, minorUnits }),
    amountCurrency: amount.currency,
    credit,
    postingTime: time,
  });
}
