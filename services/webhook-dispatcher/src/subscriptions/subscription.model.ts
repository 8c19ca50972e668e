import { isIP } from 'node:net';
import { type EgressRule, isAllowedAddress } from '@kontoport/egress';
import { ApiError, type Text } from '@kontoport/errors';
import {
  type AudienceMember,
  isSubscribed,
  mayReceive,
  rolesOf,
  type WebhookEventType,
} from '../event-types/webhook-event.model.ts';
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
  /** PAUSED: its deliveries wait, and no new ones are made (§6). */
  status: 'ACTIVE' | 'PAUSED';
  /** The start of the pause. */
  pausedAt: Date | null;
  pausedReason: PausedReason | null;
  createdAt: Date;
}

/** The reason of a pause: the receiver answered 410 Gone, or all attempts failed for days (§6). */
export const PAUSED_REASONS = ['GONE', 'FAILURES'] as const;

export type PausedReason = (typeof PAUSED_REASONS)[number];

/** A subscription that was just made. */
export type NewSubscription = Omit<Subscription, 'status' | 'pausedAt' | 'pausedReason'>;

/** The request of a caller (§4.6). */
export interface SubscriptionRequest {
  callbackUrl: string;
  eventTypes: WebhookEventType[];
}

/** Ids that a caller may choose (§2.11). Not `.` and `..`, because clients and proxies normalize such paths. */
export const SUBSCRIPTION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,64}$/;

/** Subscriptions that one client may have: live ones, and ids in its life, for those stay taken. */
export const MAX_SUBSCRIPTIONS = { live: 100, ids: 1_000 } as const;

/**
 * Age up to which a replica may not know the client of a subscription that another replica created: a lease of the directory, with
 * room for clocks that differ (ADR-0010).
 */
export const NEW_MS = 60_000;

/** The context of a sealed subscriptionKey: it opens in no other row. */
export function keyContext(internalId: string): string {
  return `subscription/${internalId}`;
}

/**
 * Each event type is for clients that hold its role (§6).
 * @throws ApiError SCOPE_INSUFFICIENT, with a detail for each type that this client may not receive
 */
export function requireRoles(client: AudienceMember, eventTypes: readonly string[]): void {
  const details = eventTypes.flatMap((type, i) =>
    !isSubscribed(type) || mayReceive(type, client)
      ? []
      : [{ path: `eventTypes.${i}`, text: TEXTS('event-type-role', { roles: rolesOf(type).join(', ') }) }],
  );
  if (details.length > 0) throw new ApiError('SCOPE_INSUFFICIENT', TEXTS('event-types-role'), { details });
}

/** The same error for an unknown id, a deleted subscription and one of another client (§4.6). */
export function subscriptionUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('subscription-unknown'));
}

/** The error for an invalid id (§2.11). */
export function subscriptionIdInvalid(): ApiError {
  return new ApiError('FORMAT_ERROR', TEXTS('id-invalid'), {
    details: [{ path: 'id', text: TEXTS('must-match', { pattern: SUBSCRIPTION_ID.source }) }],
  });
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_LENGTH = 32;

/**
 * A new subscriptionKey: 32 letters A-Z and a-z, each equally likely (§2.11); 182 bits.
 * @param draw a secret random integer, 0 ≤ it < `below`, each equally likely
 */
export function newSubscriptionKey(draw: (below: number) => number): string {
  return Array.from({ length: KEY_LENGTH }, () => LETTERS[draw(LETTERS.length)]).join('');
}

const MAX_CALLBACK_URL_LENGTH = 2_048;

/** Names of the machine itself. */
const OWN_NAME = /(^|\.)localhost$/;
/** Names of local networks; any other name is checked when it is resolved. */
const LOCAL_NAME = /(^|\.)(local|localdomain|internal|intranet|lan|home\.arpa)$/;

/**
 * Returns the fault of a callback URL, or nothing. It must be https, and its host public or in a network that the rule opens;
 * the rule can also allow http and loopback. Each connection resolves and checks the name, not this function.
 */
export function callbackUrlFault(text: string, rule: EgressRule): Text | undefined {
  if (text.length > MAX_CALLBACK_URL_LENGTH) return TEXTS('url-too-long', { most: MAX_CALLBACK_URL_LENGTH });
  if (!/^[\x21-\x7e]+$/.test(text)) return TEXTS('url-characters');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return TEXTS('not-url');
  if (url.protocol !== 'https:' && !(rule.allowLoopback && url.protocol === 'http:'))
    return TEXTS(rule.allowLoopback ? 'url-http-or-https' : 'url-https');
  if (url.username !== '' || url.password !== '') return TEXTS('url-user');
  if (text.includes('#')) return TEXTS('url-fragment');
  return isPublicHost(url.hostname, rule) ? undefined : TEXTS('url-not-public');
}

function isPublicHost(hostname: string, rule: EgressRule): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isAllowedAddress(host, rule);
  if (OWN_NAME.test(host)) return rule.allowLoopback;
  // An operator that allows a private network has local names for it.
  return host.includes('.') && ((rule.allow ?? []).length > 0 || !LOCAL_NAME.test(host));
}
