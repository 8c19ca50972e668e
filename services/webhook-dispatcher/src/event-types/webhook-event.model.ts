import type { Role } from '@kontoport/certificates';

/** The rules of an event type. */
interface EventTypeRules {
  /** Only clients with one of these roles receive it (§6). */
  roles: readonly Role[];
}

/** The event types that are delivered, hence the ones that can be subscribed to (§6). */
const WEBHOOK_EVENTS = {
  'Posting.CreatedV1': { roles: ['PSP_AI'] },
  'Consent.RevokedV1': { roles: ['PSP_AI', 'PSP_PI'] },
  'Transfer.CreatedV1': { roles: ['PSP_PI'] },
  'Transfer.StatusChangedV1': { roles: ['PSP_PI'] },
} as const satisfies Record<string, EventTypeRules>;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as [WebhookEventType, ...WebhookEventType[]];

/** The event with which a client tests its receiver; it needs no event type of the subscription (§4.6). */
export const TEST_EVENT = 'Webhook.TestV1';

/** The types of all deliveries. */
export const DELIVERED_TYPES = [...WEBHOOK_EVENT_TYPES, TEST_EVENT] as const;

/** Whether there are subscriptions to this type. */
export function isSubscribed(type: string): type is WebhookEventType {
  return Object.hasOwn(WEBHOOK_EVENTS, type);
}

/** The roles of which a client needs one to receive events of the type. */
export function rolesOf(type: WebhookEventType): readonly Role[] {
  const { roles }: EventTypeRules = WEBHOOK_EVENTS[type];
  return roles;
}

/** A client of an audience, as the client directory knows it. */
export interface AudienceMember {
  deleted: boolean;
  roles: readonly string[];
}

/** Whether a client may receive events of the type; a deleted one may not. */
export function mayReceive(type: WebhookEventType, client: AudienceMember): boolean {
  return !client.deleted && rolesOf(type).some((role) => client.roles.includes(role));
}

/** The event types that a client may receive. */
export function receivableTypes(client: AudienceMember): string[] {
  return DELIVERED_TYPES.filter((type) => !isSubscribed(type) || mayReceive(type, client));
}

/** The times of an event and of a subscription come from the clocks of two machines. A TPP that has just subscribed must miss nothing. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** An event as it is matched and delivered. */
export interface WebhookEvent {
  /** UUID; the idempotencyKey of all its deliveries. */
  id: string;
  type: WebhookEventType;
  time: Date;
  /** Ids of the clients that may receive it. */
  audience: readonly string[];
  /** JSON text of the delivery body without the subscriptionId, which is different for each subscription. */
  content: string;
}

/** An event with the context in which it was made. */
export interface EventToRecord extends WebhookEvent {
  /** W3C traceparent. */
  traceparent: string | undefined;
}
