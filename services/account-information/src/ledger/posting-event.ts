import { randomUUID } from 'node:crypto';
import { outboxEvent, type OutboxEvent } from '@kontoport/events';
import { formatMoney } from '@kontoport/money';
import type { Booking } from './ledger-state.model.ts';

/** Makes the event of a posting (§6). */
export function postingEvent(booking: Booking, traceparent: string | undefined): OutboxEvent {
  const { transactionId, accountId, amount, currency, bban, audience, postingTime } = booking;
  const credit = amount > 0n;
  const time = postingTime.toISOString();
  // Posting times may be ahead of the real time, in the sandbox by years. The time of an event is never in the future.
  const eventTime = postingTime.getTime() > Date.now() ? new Date().toISOString() : time;
  const event = outboxEvent('Posting.CreatedV1', {
    eventId: randomUUID(),
    eventTime,
    audience: [...audience],
    accountId,
    accountNumber: bban,
    ledgerPostingId: transactionId,
    amountValue: formatMoney({ minorUnits: credit ? amount : -amount, currency }),
    amountCurrency: currency,
    credit,
    postingTime: time,
  });
  return traceparent === undefined ? event : { ...event, traceparent };
}
