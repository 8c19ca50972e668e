import { KeyedCounter, secondsLeft, WindowCounter } from '@kontoport/fairness';

/** An attempt to authenticate: a client id, the certificate of the call, and its organization. */
export interface Attempt {
  clientId: string;
  certificateThumbprint: string;
  /** organizationIdentifier of the certificate. */
  organization: string;
}

const WINDOW_MS = 60_000;

/** Failed attempts allowed in a minute. */
interface FailedAuthLimits {
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
  readonly #pairs = new WindowCounter({ windowMs: WINDOW_MS });
  readonly #organizations = new WindowCounter({ windowMs: WINDOW_MS });
  readonly #inFlight = new KeyedCounter();

  constructor(limits: FailedAuthLimits) {
    this.#limits = limits;
  }

  /** Returns the seconds until the pair may try again; undefined when it may now. */
  blockedSeconds(attempt: Attempt, now: Date): number | undefined {
    const window = this.#pairs.find(pairOf(attempt), now);
    return window !== undefined && window.count >= this.#limits.perPair
      ? secondsLeft(window, now)
      : undefined;
  }

  /** Returns the seconds until the organization may try again; undefined when it may now. */
  blockedOrganizationSeconds({ organization }: Attempt, now: Date): number | undefined {
    const window = this.#organizations.find(organization, now);
    const failed = window?.count ?? 0;
    if (failed + this.#inFlight.of(organization) < this.#limits.perOrganization) return undefined;
    // Attempts in flight may succeed at any moment.
    return window !== undefined && failed >= this.#limits.perOrganization ? secondsLeft(window, now) : 1;
  }

  /** Runs an attempt, which counts for the organization while it is in flight. */
  async run<T>({ organization }: Attempt, attempt: () => Promise<T>): Promise<T> {
    this.#inFlight.add(organization, 1);
    try {
      return await attempt();
    } finally {
      this.#inFlight.add(organization, -1);
    }
  }

  /** Counts a failed attempt. Check first whether the pair is blocked. */
  count(attempt: Attempt, now: Date): void {
    this.#pairs.count(pairOf(attempt), now);
    this.#organizations.count(attempt.organization, now);
  }
}

function pairOf({ clientId, certificateThumbprint }: Attempt): string {
  return `${clientId} ${certificateThumbprint}`;
}
