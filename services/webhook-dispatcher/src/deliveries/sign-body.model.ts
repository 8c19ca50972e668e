import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The key that signs: the 32 characters of a subscriptionKey as bytes, not decoded (§5.8). */
export function signingKey(subscriptionKey: Uint8Array): KeyObject {
  return createSecretKey(subscriptionKey);
}

/** The value of X-HMAC-Signature: HMAC-SHA256 over exactly these bytes, 64 lower-case hexadecimal characters (§5.8). */
export function signBody(key: KeyObject, body: Uint8Array): string {
  return createHmac('sha256', key).update(body).digest('hex');
}

/** One POST as Standard Webhooks signs it. */
export interface StandardMessage {
  /** The idempotencyKey. */
  eventId: string;
  /** When this attempt begins. */
  sentAt: Date;
  body: Uint8Array;
}

/**
 * The headers of Standard Webhooks 1.0, as names and values in turn: the same key, but id and time are covered, too (§5.8).
 */
export function standardHeaders(key: KeyObject, { eventId, sentAt, body }: StandardMessage): string[] {
  const seconds = Math.floor(sentAt.getTime() / 1_000);
  const signature = createHmac('sha256', key).update(`${eventId}.${seconds}.`).update(body).digest('base64');
  return [
    'webhook-id',
    eventId,
    'webhook-timestamp',
    String(seconds),
    'webhook-signature',
    `v1,${signature}`,
  ];
}
