import { hash } from 'node:crypto';

/** Presented credentials: an Authorization header, and the certificate of the call. */
export interface Presented {
  basic: string;
  certificateThumbprint: string;
}

/** The client whose credentials were accepted, and its revision then. */
export interface Accepted {
  readonly clientId: string;
  readonly revision: bigint;
}

/** Beyond it the oldest entry is evicted. */
const MAX_ENTRIES = 10_000;

/** The limit for one client over one certificate: a client that encodes its credentials in many ways must not evict others. */
const MAX_OF_PAIR = 4;

/**
 * Caches credentials that registration has accepted (§4.1), as hashes under a key of this process. An entry is valid while the
 * client's revision is the same.
 */
export class CredentialCache {
  readonly #key: string;
  /** Oldest first. */
  readonly #entries = new Map<string, { accepted: Accepted; pair: string }>();
  /** The entries of each client over each certificate, oldest first. */
  readonly #ofPair = new Map<string, Set<string>>();

  /** @param key 32 secret random bytes */
  constructor(key: Uint8Array) {
    this.#key = Buffer.from(key).toString('base64');
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Adds accepted credentials. */
  add(presented: Presented, accepted: Accepted): void {
    const key = this.#keyOf(presented);
    // Added again, an entry is the newest.
    this.#evict(key);
    const pair = `${accepted.clientId} ${presented.certificateThumbprint}`;
    const own = this.#ofPair.get(pair) ?? new Set<string>();
    if (own.size >= MAX_OF_PAIR) this.#evict(own.keys().next().value!);
    else if (this.#entries.size >= MAX_ENTRIES) this.#evict(this.#entries.keys().next().value!);
    this.#entries.set(key, { accepted, pair });
    this.#ofPair.set(pair, own.add(key));
  }

  /** Finds accepted credentials. */
  find(presented: Presented): Accepted | undefined {
    return this.#entries.get(this.#keyOf(presented))?.accepted;
  }

  #evict(key: string): void {
    const known = this.#entries.get(key);
    if (known === undefined) return;
    this.#entries.delete(key);
    const own = this.#ofPair.get(known.pair)!;
    own.delete(key);
    if (own.size === 0) this.#ofPair.delete(known.pair);
  }

  /**
   * The caller's text comes last, and a thumbprint contains no blank, so no two inputs collide. An HMAC would cost five times as
   * much; its protection against length extension is not needed, since the hashes never leave the process.
   */
  #keyOf({ basic, certificateThumbprint }: Presented): string {
    return hash('sha256', `${this.#key} ${certificateThumbprint} ${basic}`, 'base64');
  }
}
