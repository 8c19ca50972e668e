/** An attempt to authenticate: a client id, the certificate of the call, and its organization. */
export interface Attempt {
  clientId: string;
  certificateThumbprint: string;
  /** organizationIdentifier of the certificate. */
  organization: string;
}

const WINDOW_MS = 60_000;

/** Keys that are counted at the same time. Beyond it the oldest is evicted. */
const MAX_KEYS = 10_000;

/** Failed attempts allowed in a minute. */
export interface FailedAuthLimits {
  /** For a client id over a certificate. */
  perPair: number;
  /** For an organization, over all its certificates and for any client ids; attempts in flight count, too. */
  perOrganization: number;
}

/**
 * Limits failed attempts in a minute (§4.1). It counts by client id and certificate, so that an attacker cannot block a client
 * over the client's own certificate; and by organization, which bounds attempts with invented ids. Each replica counts for
 * itself, in bounded memory.
 */
export class FailedAuthLimiter {
  readonly #limits: FailedAuthLimits;
  readonly #pairs = new WindowCounter();
  readonly #organizations = new WindowCounter();
  readonly #inFlight = new Map<string, number>();

  constructor(limits: FailedAuthLimits) {
    this.#limits = limits;
  }

  /** The number of counted keys. */
  get size(): number {
    return this.#pairs.size + this.#organizations.size + this.#inFlight.size;
  }

  /** Returns the seconds until the pair may try again; undefined when it may now. */
  blockedSeconds(attempt: Attempt, now: Date): number | undefined {
    const window = this.#pairs.find(pairOf(attempt), now);
    return window !== undefined && window.count >= this.#limits.perPair ? secondsTo(window, now) : undefined;
  }

  /** Returns the seconds until the organization may try again; undefined when it may now. */
  blockedOrganizationSeconds({ organization }: Attempt, now: Date): number | undefined {
    const window = this.#organizations.find(organization, now);
    const wrong = window?.count ?? 0;
    const inFlight = this.#inFlight.get(organization) ?? 0;
    if (wrong + inFlight < this.#limits.perOrganization) return undefined;
    // Attempts in flight may succeed at any moment.
    return window !== undefined && wrong >= this.#limits.perOrganization ? secondsTo(window, now) : 1;
  }

  /** Runs an attempt, which counts for the organization while it is in flight. */
  async run<T>({ organization }: Attempt, attempt: () => Promise<T>): Promise<T> {
    this.#inFlight.set(organization, (this.#inFlight.get(organization) ?? 0) + 1);
    try {
      return await attempt();
    } finally {
      const left = this.#inFlight.get(organization)! - 1;
      if (left > 0) this.#inFlight.set(organization, left);
      else this.#inFlight.delete(organization);
    }
  }

  /** Counts a failed attempt. Check first whether the pair is blocked. */
  count(attempt: Attempt, now: Date): void {
    this.#pairs.count(pairOf(attempt), now);
    this.#organizations.count(attempt.organization, now);
  }
}

interface Window {
  count: number;
  endsAt: number;
}

/** Counts by key, for a minute from the first. */
class WindowCounter {
  /** Oldest first: all windows have the same length. */
  readonly #windows = new Map<string, Window>();

  get size(): number {
    return this.#windows.size;
  }

  find(key: string, now: Date): Window | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > now.getTime() ? window : undefined;
  }

  count(key: string, now: Date): void {
    this.#evictEnded(now);
    const window = this.#windows.get(key);
    if (window !== undefined) {
      window.count += 1;
      return;
    }
    if (this.#windows.size >= MAX_KEYS) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(key, { count: 1, endsAt: now.getTime() + WINDOW_MS });
  }

  #evictEnded(now: Date): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now.getTime()) return;
      this.#windows.delete(key);
    }
  }
}

function secondsTo({ endsAt }: Window, now: Date): number {
  return Math.ceil((endsAt - now.getTime()) / 1_000);
}

function pairOf({ clientId, certificateThumbprint }: Attempt): string {
  return `${clientId} ${certificateThumbprint}`;
}
