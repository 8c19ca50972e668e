import { inTransaction } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { addToOutbox, type Relay } from '@kontoport/events';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { type Entry, requireRepetition } from './entry.model.ts';
import { findEntry, keepFromBooking } from './entry.repository.ts';
import {
  type Booked,
  bookPosting,
  holdAuthorization,
  isTaken,
  type OpenBooking,
} from './ledger.repository.ts';
import { postingEvent } from './posting-event.ts';
import type { Posting } from './posting.model.ts';

/**
 * Books a posting and its event in one database transaction. The same posting again gets the first answer and
 * changes nothing. Postings on one account follow each other; those on different accounts do not meet.
 * @throws ApiError RESOURCE_UNKNOWN (no such account), FORMAT_ERROR (another currency), FUNDS_INSUFFICIENT,
 *   DUPLICATE_ID (another transaction has the id), STATUS_INVALID (the id is voided).
 */
export async function postTransaction(
  { db, relay }: { db: Db; relay: Relay },
  posting: Posting,
): Promise<Booked> {
  const booked = await orEntry(db, { command: 'Post', posting }, () =>
    inTransaction(db, async (tx) => {
      const booking = requireAllowed(await bookPosting(tx, posting), posting);
      await addToOutbox(tx, postingEvent(posting, booking));
      return booking;
    }),
  );
  relay.wake();
  return 'state' in booked ? bookedOf(booked) : booked;
}

/**
 * Holds an amount. The same authorization again, also after its end, changes nothing.
 * @throws ApiError like `postTransaction`
 */
export async function authorizeTransaction({ db }: { db: Db }, posting: Posting): Promise<void> {
  await orEntry(db, { command: 'Authorize', posting }, () =>
    inTransaction(db, async (tx) => requireAllowed(await holdAuthorization(tx, posting), posting)),
  );
}

/** What a settled entry was answered with. */
export function bookedOf({ postingTime, balanceAfter }: Entry): Booked {
  return { postingTime: postingTime!, balanceAfter: balanceAfter! };
}

/**
 * Does the work, or hands back what stands under the id when that is what was asked for. A refusal for funds is told
 * only when it is kept under the id: no attempt that is still under way can book it afterwards.
 */
async function orEntry<T>(
  db: Db,
  { command, posting }: { command: 'Post' | 'Authorize'; posting: Posting },
  work: () => Promise<T>,
): Promise<T | Entry> {
  const { transactionId, accountId } = posting;
  try {
    return await work();
  } catch (error) {
    const short = error instanceof ApiError && error.code === 'FUNDS_INSUFFICIENT';
    if (!short && !isTaken(error)) throw error;
    if (short)
      await keepFromBooking(db, {
        transactionId,
        accountId,
        refusal: 'FUNDS_INSUFFICIENT',
        posting,
        kind: command,
      });
    const entry = await findEntry(db, transactionId);
    if (entry === undefined) throw error;
    requireRepetition(command, entry, posting);
    return entry;
  }
}

/** A refusal here rolls the booking back; that it comes after the booking lets a repetition find its first answer. */
function requireAllowed<B extends Pick<OpenBooking, 'currency' | 'available'>>(
  booking: B | undefined,
  { amount, requireFunds }: Posting,
): B {
  if (booking === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
  if (booking.currency !== amount.currency) throw otherCurrency(booking.currency);
  if (requireFunds && amount.minorUnits < 0n && booking.available < 0n)
    throw new ApiError('FUNDS_INSUFFICIENT', TEXTS('no-funds'));
  return booking;
}

/** The refusal of an amount that is not in the currency of its account. */
export function otherCurrency(currency: string): ApiError {
  return new ApiError('FORMAT_ERROR', TEXTS('other-currency'), {
    details: [{ path: 'amount.currency', text: TEXTS('must-be', { value: currency }) }],
  });
}
