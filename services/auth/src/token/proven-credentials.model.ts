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
 * Credentials that registration has accepted (§4.1), by the text that showed them: what is known again need not be read again. Only
 * what was right is remembered, and only as a hash under a key of this process. It holds while nothing of the client has changed.
 */
export class ProvenCredentials {
  readonly #key: string;
  /** Oldest first. */
  readonly #proven = new Map<string, Proven>();

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
    if (this.#proven.size >= MAX_REMEMBERED) this.#proven.delete(this.#proven.keys().next().value!);
    this.#proven.set(this.#keyOf(shown), proven);
  }

  /** What was accepted; undefined for all else. */
  recall(shown: Shown): Proven | undefined {
    return this.#proven.get(this.#keyOf(shown));
  }

  /**
   * What the caller writes comes last: a thumbprint contains no blank. An HMAC would cost five times as much, and is
   * better at one thing alone, that whoever sees it cannot go on from it to another; nobody sees these.
   */
  #keyOf({ basic, certificateThumbprint }: Shown): string {
    return hash('sha256', `${this.#key} ${certificateThumbprint} ${basic}`, 'base64');
  }
}
