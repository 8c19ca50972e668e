import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** What a client showed: its id, its secret and the certificate that it called over. */
export interface Shown {
  clientId: string;
  clientSecret: string;
  certificateThumbprint: string;
}

/** More of them are proven anew, the oldest first. */
const MAX_REMEMBERED = 10_000;

/**
 * Credentials that registration has accepted, as long as nothing of their client has changed (§4.1). Only what was right is
 * remembered, and only as an HMAC under a key of this process.
 */
export class ProvenCredentials {
  readonly #key: KeyObject;
  /** Oldest first. */
  readonly #revisions = new Map<string, bigint>();

  /** @param key 32 random bytes that nobody else has */
  constructor(key: Uint8Array) {
    // From the bytes themselves each HMAC would take several times as long.
    this.#key = createSecretKey(key);
  }

  /** How many are remembered. */
  get size(): number {
    return this.#revisions.size;
  }

  /** Remembers credentials that were accepted for the client as it was at `revision`. */
  remember(shown: Shown, revision: bigint): void {
    if (this.#revisions.size >= MAX_REMEMBERED) this.#revisions.delete(this.#revisions.keys().next().value!);
    this.#revisions.set(this.#keyOf(shown), revision);
  }

  /** Whether the credentials were accepted for the client as it is at `revision`. */
  holds(shown: Shown, revision: bigint): boolean {
    return this.#revisions.get(this.#keyOf(shown)) === revision;
  }

  /** The secret comes last: neither a UUID nor a thumbprint contains a blank. */
  #keyOf({ clientId, certificateThumbprint, clientSecret }: Shown): string {
    return createHmac('sha256', this.#key)
      .update(`${clientId} ${certificateThumbprint} ${clientSecret}`)
      .digest('base64');
  }
}
