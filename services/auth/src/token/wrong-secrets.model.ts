/** Who tried which client: a client id and the certificate that the attempt came over. */
export interface Attempt {
  clientId: string;
  certificateThumbprint: string;
}

const WINDOW_MS = 60_000;

/** Pairs that are counted at the same time; whoever makes more of them in a minute has the oldest forgotten. */
const MAX_PAIRS = 10_000;

/**
 * Wrong secrets of the last minute, by client id and certificate (§4.1): an attacker blocks the pair with the own
 * certificate, and never the client over another. Each replica counts for itself, in bounded memory.
 */
export class WrongSecrets {
  readonly #most: number;
  /** Oldest first, for all windows are equally long. */
  readonly #windows = new Map<string, { count: number; endsAt: number }>();

  /** @param most wrong secrets of a pair in a minute */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many pairs are counted. */
  get size(): number {
    return this.#windows.size;
  }

  /** Seconds until the pair may try again; undefined when it may at `now`. */
  blockedSeconds(attempt: Attempt, now: Date): number | undefined {
    const window = this.#windows.get(keyOf(attempt));
    const waitMs = window === undefined ? 0 : window.endsAt - now.getTime();
    return window !== undefined && window.count >= this.#most && waitMs > 0
      ? Math.ceil(waitMs / 1_000)
      : undefined;
  }

  /** Counts a wrong secret; to be asked first whether the pair is blocked. */
  count(attempt: Attempt, now: Date): void {
    this.#forget(now);
    const key = keyOf(attempt);
    const window = this.#windows.get(key);
    if (window !== undefined) {
      window.count += 1;
      return;
    }
    if (this.#windows.size >= MAX_PAIRS) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(key, { count: 1, endsAt: now.getTime() + WINDOW_MS });
  }

  #forget(now: Date): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now.getTime()) return;
      this.#windows.delete(key);
    }
  }
}

function keyOf({ clientId, certificateThumbprint }: Attempt): string {
  return `${clientId} ${certificateThumbprint}`;
}
