import { hash } from 'node:crypto';

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
 * remembered, and only as a hash under a key of this process.
 */
export class ProvenCredentials {
  readonly #key: string;
  /** Oldest first. */
  readonly #revisions = new Map<string, bigint>();

  /** @param key 32 random bytes that nobody else has */
  constructor(key: Uint8Array) {
    this.#key = Buffer.from(key).toString('base64');
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

  /**
   * The secret comes last: neither a UUID nor a thumbprint contains a blank. An HMAC would cost five times as much, and is
   * better at one thing alone, that whoever sees it cannot go on from it to another; nobody sees these.
   */
  #keyOf({ clientId, certificateThumbprint, clientSecret }: Shown): string {
    return hash('sha256', `${this.#key} ${clientId} ${certificateThumbprint} ${clientSecret}`, 'base64');
  }
}
