import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** The key that signs: the 32 characters of a subscriptionKey as bytes, not decoded (§5.8). */
export function signingKey(subscriptionKey: Uint8Array): KeyObject {
  return createSecretKey(subscriptionKey);
}

/** The value of X-HMAC-Signature: HMAC-SHA256 over exactly these bytes, 64 lower-case hexadecimal characters. */
export function signBody(key: KeyObject, body: Uint8Array): string {
  return createHmac('sha256', key).update(body).digest('hex');
}
