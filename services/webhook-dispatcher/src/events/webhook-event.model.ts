/** The event types that are delivered, hence the ones that can be subscribed to (§6). */
export const WEBHOOK_EVENT_TYPES = ['Posting.CreatedV1'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** An event as it is matched and delivered. */
export interface WebhookEvent {
  /** UUID; the idempotencyKey of all its deliveries. */
  id: string;
  type: WebhookEventType;
  time: Date;
  /** Ids of the clients that may know of it. */
  audience: readonly string[];
  /** JSON text of the delivery body without the subscriptionId, which is different for each subscription. */
  content: string;
}

/** An event with the context in which it was made. */
export interface EventToRecord extends WebhookEvent {
  /** W3C traceparent. */
  traceparent: string | undefined;
}
