import { createHmac, timingSafeEqual } from 'node:crypto';

/** A key of the HMAC under which client secrets are stored. */
export interface Pepper {
  key: Uint8Array;
  /** 8 bytes that identify the key without revealing it. */
  id: Uint8Array<ArrayBuffer>;
}

/** A stored client secret. */
export interface StoredSecret {
  /** HMAC-SHA256 under a pepper, 32 bytes. */
  hash: Uint8Array<ArrayBuffer>;
  /** The id of that pepper. */
  pepperId: Uint8Array<ArrayBuffer>;
}

/** Makes a pepper from its key. @param key 32 bytes */
export function toPepper(key: Uint8Array): Pepper {
  const digest = createHmac('sha256', key).update('kontoport: which pepper this is').digest();
  return { key, id: new Uint8Array(digest.subarray(0, 8)) };
}

/** Makes a new client secret: 32 random bytes, base64url. */
export function newClientSecret(random: (bytes: number) => Uint8Array): string {
  return Buffer.from(random(32)).toString('base64url');
}

/** Hashes a client secret under a pepper for storage. */
export function hashClientSecret(secret: string, pepper: Pepper): StoredSecret {
  return {
    hash: new Uint8Array(createHmac('sha256', pepper.key).update(secret).digest()),
    pepperId: pepper.id,
  };
}

const NO_SECRET = new Uint8Array(32);

/**
 * Finds the pepper under which `secret` has `storedHash`; undefined when there is none. Every pepper costs one HMAC and one
 * comparison in every case, also for an absent hash (unknown or deleted client), which never matches.
 */
export function pepperOfSecret(options: {
  secret: string;
  storedHash: Uint8Array | undefined;
  peppers: readonly Pepper[];
}): Pepper | undefined {
  const { secret, storedHash, peppers } = options;
  const equal = peppers.filter((pepper) =>
    timingSafeEqual(hashClientSecret(secret, pepper).hash, storedHash ?? NO_SECRET),
  );
  return storedHash === undefined ? undefined : equal[0];
}
