import { POSTING_CREATED } from '@kontoport/events';
import type { Posting } from '@kontoport/proto/events/v1';

/** An event as it is matched and delivered. */
export interface WebhookEvent {
  /** UUID; the idempotencyKey of all its deliveries. */
  id: string;
  type: typeof POSTING_CREATED;
  time: Date;
  /** Ids of the clients that may know of it. */
  audience: readonly string[];
  /** JSON text of the delivery body without the subscriptionId, which is different for each subscription. */
  content: string;
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * The webhook event of a posting (specification §2.12, §6).
 * @throws Error naming the field, never its value, when it cannot be what it says.
 */
export function postingCreated(posting: Posting): WebhookEvent {
  const time = new Date(posting.eventTime);
  if (Number.isNaN(time.getTime())) throw new Error('eventTime is not an instant');
  if (!posting.audience.every((clientId) => UUID.test(clientId)))
    throw new Error('audience is not a list of UUIDs');
  return {
    id: posting.eventId,
    type: POSTING_CREATED,
    time,
    audience: posting.audience,
    content: JSON.stringify({
      idempotencyKey: posting.eventId,
      eventTime: posting.eventTime,
      eventType: POSTING_CREATED,
      data: {
        accountNumber: posting.accountNumber,
        ledgerPostingId: posting.ledgerPostingId,
        amount: { value: posting.amountValue, currency: posting.amountCurrency, credit: posting.credit },
        postingTime: posting.postingTime,
      },
    }),
  };
}
