import { inTransaction } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { addToOutbox, type Relay } from '@kontoport/events';
import type { Money } from '@kontoport/money';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { type Entry, illegalTransition, type LedgerCommand } from './entry.model.ts';
import { findEntry, keepFromBooking } from './entry.repository.ts';
import { type Booked, releaseAuthorization, settleAuthorization } from './ledger.repository.ts';
import { bookedOf, otherCurrency } from './post-transaction.ts';
import { postingEvent } from './posting-event.ts';

/** A transaction of an account. */
export interface TransactionIds {
  transactionId: string;
  accountId: string;
}

/**
 * Books an authorization and its event in one database transaction; the same again gets the first answer.
 * @param settlement.amount absent: as authorized
 * @throws ApiError RESOURCE_UNKNOWN, FORMAT_ERROR (another currency), STATUS_INVALID
 */
export async function settleTransaction(
  { db, relay }: { db: Db; relay: Relay },
  settlement: TransactionIds & { amount: Money | undefined; postingTime: Date | undefined },
): Promise<Booked & { currency: string }> {
  const { amount } = settlement;
  const booked = await inTransaction(db, async (tx) => {
    const booking = await settleAuthorization(tx, { ...settlement, amount: amount?.minorUnits });
    if (booking === undefined) return undefined;
    if (amount !== undefined && booking.currency !== amount.currency) throw otherCurrency(booking.currency);
    await addToOutbox(tx, postingEvent(settlement, booking));
    return booking;
  });
  relay.wake();
  if (booked !== undefined) return booked;
  const entry = await requireEntry(db, settlement);
  const again =
    entry.state === 'settled' &&
    entry.wasAuthorized &&
    (amount === undefined || (amount.minorUnits === entry.amount && amount.currency === entry.currency));
  if (!again) throw illegalTransition('Settle', entry.state);
  return { ...bookedOf(entry), currency: entry.currency };
}

/** Removes an authorization from the lists; the same again changes nothing. @throws ApiError like `settleTransaction` */
export async function failTransaction({ db }: { db: Db }, ids: TransactionIds): Promise<void> {
  if (await releaseAuthorization(db, ids)) return;
  await requireState(db, ids, { command: 'Fail', ends: ['failed'] });
}

/**
 * Takes an id out of use before anything is booked under it; the same again changes nothing.
 * @throws ApiError RESOURCE_UNKNOWN (no such account), STATUS_INVALID (a transaction has the id)
 */
export async function voidTransaction({ db }: { db: Db }, ids: TransactionIds): Promise<void> {
  if (!(await keepFromBooking(db, { ...ids, refusal: 'VOIDED' })))
    throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-account'));
  await requireState(db, ids, { command: 'Void', ends: ['voided', 'refused'] });
}

async function requireState(
  db: Db,
  ids: TransactionIds,
  { command, ends }: { command: LedgerCommand; ends: readonly Entry['state'][] },
): Promise<void> {
  const { state } = await requireEntry(db, ids);
  if (!ends.includes(state)) throw illegalTransition(command, state);
}

async function requireEntry(db: Db, { transactionId, accountId }: TransactionIds): Promise<Entry> {
  const entry = await findEntry(db, transactionId);
  if (entry?.accountId !== accountId) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-transaction'));
  return entry;
}
