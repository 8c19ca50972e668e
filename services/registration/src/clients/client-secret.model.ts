import { createHmac, timingSafeEqual } from 'node:crypto';

/** A new client secret: 32 random bytes, base64url. */
export function newClientSecret(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(32)).toString('base64url');
}

/** What is stored of a client secret: HMAC-SHA256 under the pepper, 32 bytes. */
export function hashClientSecret(secret: string, pepper: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHmac('sha256', pepper).update(secret).digest());
}

const NO_SECRET = new Uint8Array(32);

/**
 * Whether `secret` is the one behind `storedHash`, in the same time whatever the answer is; an absent hash (unknown or
 * deleted client) costs the same comparison and is never matched.
 */
export function isClientSecret(options: {
  secret: string;
  storedHash: Uint8Array | undefined;
  pepper: Uint8Array;
}): boolean {
  const { secret, storedHash, pepper } = options;
  const equal = timingSafeEqual(hashClientSecret(secret, pepper), storedHash ?? NO_SECRET);
  return equal && storedHash !== undefined;
}
