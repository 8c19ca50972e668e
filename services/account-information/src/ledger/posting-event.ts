import { randomUUID } from 'node:crypto';
import { outboxEvent } from '@kontoport/events';
import { formatMoney } from '@kontoport/money';
import type { OpenBooking } from './ledger.repository.ts';

/** The event of what was booked, posted or settled (§6). */
export function postingEvent(
  { transactionId, accountId }: { transactionId: string; accountId: string },
  { amount, currency, bban, audience, postingTime }: OpenBooking,
) {
  const credit = amount > 0n;
  const time = postingTime.toISOString();
  return outboxEvent('Posting.CreatedV1', {
    eventId: randomUUID(),
    eventTime: time,
    audience,
    accountId,
    accountNumber: bban,
    ledgerPostingId: transactionId,
    amountValue: formatMoney({ minorUnits: credit ? amount : -amount, currency }),
    amountCurrency: currency,
    credit,
    postingTime: time,
  });
}
