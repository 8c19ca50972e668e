import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

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

/** Ids that a caller may choose (§2.11); a path that ends in `.` or `..` leads elsewhere once it is normalized. */
export const SUBSCRIPTION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/;

/** Live subscriptions that one client may have. */
export const MAX_SUBSCRIPTIONS = 100;

/** Where a sealed subscriptionKey belongs: it opens in no other row. */
export function keyContext(internalId: string): string {
  return `subscription/${internalId}`;
}

/** The same for an id that is unknown, deleted or another client's (§4.6). */
export function subscriptionUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('subscription-unknown'));
}

/** For an id that nobody may choose (§2.11). */
export function subscriptionIdInvalid(): ApiError {
  return new ApiError('FORMAT_ERROR', TEXTS('id-invalid'), {
    details: [{ path: 'id', text: TEXTS('must-match', { pattern: SUBSCRIPTION_ID.source }) }],
  });
}
