import type { EventMessages, EventOf } from '@kontoport/events';
import type { WebhookEvent, WebhookEventType } from './webhook-event.model.ts';

/** What a delivery says of each event type, its `data` (§2.12): a new type is a row. */
const DATA: { readonly [Type in WebhookEventType]: (message: EventMessages[Type]) => object } = {
  'Posting.CreatedV1': (posting) => ({
    accountNumber: posting.accountNumber,
    ledgerPostingId: posting.ledgerPostingId,
    amount: { value: posting.amountValue, currency: posting.amountCurrency, credit: posting.credit },
    postingTime: posting.postingTime,
  }),
  'Consent.RevokedV1': ({ consentId, accountIds, revokedAt }) => ({ consentId, accountIds, revokedAt }),
  'Transfer.CreatedV1': transferData,
  'Transfer.StatusChangedV1': transferData,
};

/** A payment that no draft became has no draftId. */
function transferData(transfer: EventMessages['Transfer.CreatedV1' | 'Transfer.StatusChangedV1']): object {
  const { paymentId, paymentType, accountId, status, draftId } = transfer;
  return { paymentId, paymentType, accountId, status, ...(draftId === '' ? {} : { draftId }) };
}

/** Clocks of two machines differ, but not by so much. */
const MOST_AHEAD_MS = 60 * 60_000;

/**
 * The webhook event of an event (§2.12, §6).
 * @throws Error naming the field, never its value, when it cannot be what it says, a time that is yet to come included
 */
export function webhookEvent<Type extends WebhookEventType>(
  { type, message }: EventOf<Type>,
  now: Date,
): WebhookEvent {
  const { eventId, eventTime, audience } = message;
  const time = new Date(eventTime);
  if (Number.isNaN(time.getTime())) throw new Error('eventTime is not an instant');
  if (time.getTime() > now.getTime() + MOST_AHEAD_MS) throw new Error('eventTime is yet to come');
  const content = { idempotencyKey: eventId, eventTime, eventType: type, data: DATA[type](message) };
  return { id: eventId, type, time, audience, content: JSON.stringify(content) };
}
