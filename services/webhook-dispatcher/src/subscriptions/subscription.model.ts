/** A live webhook subscription (§2.11). */
export interface Subscription {
  internalId: string;
  clientId: string;
  /** Chosen by the caller. */
  id: string;
  /** The subscriptionKey, sealed for `keyContext(internalId)`. */
  sealedKey: Uint8Array;
  callbackUrl: string;
  eventTypes: string[];
  /** PAUSED: the receiver answered 410 Gone; deliveries wait. */
  status: 'ACTIVE' | 'PAUSED';
  createdAt: Date;
}

/** What a caller asks for (§4.6). */
export interface SubscriptionRequest {
  callbackUrl: string;
  eventTypes: string[];
}

/** Ids that a caller may choose. */
export const SUBSCRIPTION_ID = /^[A-Za-z0-9._~-]{1,64}$/;

/** Live subscriptions that one client may have. */
export const MAX_SUBSCRIPTIONS = 100;

/** Where a sealed subscriptionKey belongs: it opens in no other row. */
export function keyContext(internalId: string): string {
  return `subscription/${internalId}`;
}
