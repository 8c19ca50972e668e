import { hash } from 'node:crypto';

/** What a client showed: its id and secret in an Authorization header, and the certificate that it called over. */
export interface Shown {
  basic: string;
  certificateThumbprint: string;
}

/** Whose credentials they are, and how the client was when they were accepted. */
export interface Proven {
  readonly clientId: string;
  readonly revision: bigint;
}

/** More of them are proven anew, the oldest first. */
const MAX_REMEMBERED = 10_000;

/**
 * Of one client over one certificate: it may write what it shows in as many ways as it likes, and must not push out what others
 * showed.
 */
const MAX_OF_PAIR = 4;

/**
 * Credentials that registration has accepted (§4.1), by the text that showed them: what is known again need not be read again. Only
 * what was right is remembered, and only as a hash under a key of this process. It holds while nothing of the client has changed.
 */
export class ProvenCredentials {
  readonly #key: string;
  /** Oldest first. */
  readonly #proven = new Map<string, { proven: Proven; pair: string }>();
  /** The keys of each client over each certificate, oldest first. */
  readonly #ofPair = new Map<string, Set<string>>();

  /** @param key 32 random bytes that nobody else has */
  constructor(key: Uint8Array) {
    this.#key = Buffer.from(key).toString('base64');
  }

  /** How many are remembered. */
  get size(): number {
    return this.#proven.size;
  }

  /** Remembers credentials that were accepted. */
  remember(shown: Shown, proven: Proven): void {
    const key = this.#keyOf(shown);
    // What is accepted again is the newest.
    this.#forget(key);
    const pair = `${proven.clientId} ${shown.certificateThumbprint}`;
    const own = this.#ofPair.get(pair) ?? new Set<string>();
    if (own.size >= MAX_OF_PAIR) this.#forget(own.keys().next().value!);
    else if (this.#proven.size >= MAX_REMEMBERED) this.#forget(this.#proven.keys().next().value!);
    this.#proven.set(key, { proven, pair });
    this.#ofPair.set(pair, own.add(key));
  }

  /** What was accepted; undefined for all else. */
  recall(shown: Shown): Proven | undefined {
    return this.#proven.get(this.#keyOf(shown))?.proven;
  }

  #forget(key: string): void {
    const known = this.#proven.get(key);
    if (known === undefined) return;
    this.#proven.delete(key);
    const own = this.#ofPair.get(known.pair)!;
    own.delete(key);
    if (own.size === 0) this.#ofPair.delete(known.pair);
  }

  /**
   * What the caller writes comes last: a thumbprint contains no blank. An HMAC would cost five times as much, and is
   * better at one thing alone, that whoever sees it cannot go on from it to another; nobody sees these.
   */
  #keyOf({ basic, certificateThumbprint }: Shown): string {
    return hash('sha256', `${this.#key} ${certificateThumbprint} ${basic}`, 'base64');
  }
}
