/** Who tried which client: a client id and the certificate that the attempt came over, of some organization. */
export interface Attempt {
  clientId: string;
  certificateThumbprint: string;
  /** organizationIdentifier of the certificate. */
  organization: string;
}

const WINDOW_MS = 60_000;

/** Keys that are counted at the same time; whoever makes more of them in a minute has the oldest forgotten. */
const MAX_KEYS = 10_000;

/** How many wrong secrets there may be in a minute. */
export interface WrongSecretsLimits {
  /** Of a client id over a certificate. */
  perPair: number;
  /** Over all certificates of an organization, whatever the client ids; those under way count as well. */
  perOrganization: number;
}

/**
 * Wrong secrets of the last minute (§4.1). By client id and certificate: an attacker blocks the pair with the own
 * certificate, and never the client over another. By organization, so that ids made up one after the other have an end, too.
 * Each replica counts for itself, in bounded memory.
 */
export class WrongSecrets {
  readonly #limits: WrongSecretsLimits;
  readonly #pairs = new Minutes();
  readonly #organizations = new Minutes();
  readonly #underWay = new Map<string, number>();

  constructor(limits: WrongSecretsLimits) {
    this.#limits = limits;
  }

  /** How many pairs and organizations are counted. */
  get size(): number {
    return this.#pairs.size + this.#organizations.size + this.#underWay.size;
  }

  /** Seconds until the pair may try again; undefined when it may at `now`. */
  blockedSeconds(attempt: Attempt, now: Date): number | undefined {
    const window = this.#pairs.find(pairOf(attempt), now);
    return window !== undefined && window.count >= this.#limits.perPair ? secondsTo(window, now) : undefined;
  }

  /** Seconds until the organization may try again; undefined when it may at `now`. */
  crowdedSeconds({ organization }: Attempt, now: Date): number | undefined {
    const window = this.#organizations.find(organization, now);
    const wrong = window?.count ?? 0;
    const underWay = this.#underWay.get(organization) ?? 0;
    if (wrong + underWay < this.#limits.perOrganization) return undefined;
    // What is under way may prove right any moment.
    return window !== undefined && wrong >= this.#limits.perOrganization ? secondsTo(window, now) : 1;
  }

  /** Does what proves a secret, which counts for the organization until it is done. */
  async during<T>({ organization }: Attempt, proof: () => Promise<T>): Promise<T> {
    this.#underWay.set(organization, (this.#underWay.get(organization) ?? 0) + 1);
    try {
      return await proof();
    } finally {
      const left = this.#underWay.get(organization)! - 1;
      if (left > 0) this.#underWay.set(organization, left);
      else this.#underWay.delete(organization);
    }
  }

  /** Counts a wrong secret; to be asked first whether the pair is blocked. */
  count(attempt: Attempt, now: Date): void {
    this.#pairs.count(pairOf(attempt), now);
    this.#organizations.count(attempt.organization, now);
  }
}

interface Minute {
  count: number;
  endsAt: number;
}

/** Counts by key, each for a minute from its first. */
class Minutes {
  /** Oldest first, for all are equally long. */
  readonly #windows = new Map<string, Minute>();

  get size(): number {
    return this.#windows.size;
  }

  find(key: string, now: Date): Minute | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > now.getTime() ? window : undefined;
  }

  count(key: string, now: Date): void {
    this.#forget(now);
    const window = this.#windows.get(key);
    if (window !== undefined) {
      window.count += 1;
      return;
    }
    if (this.#windows.size >= MAX_KEYS) this.#windows.delete(this.#windows.keys().next().value!);
    this.#windows.set(key, { count: 1, endsAt: now.getTime() + WINDOW_MS });
  }

  #forget(now: Date): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now.getTime()) return;
      this.#windows.delete(key);
    }
  }
}

function secondsTo({ endsAt }: Minute, now: Date): number {
  return Math.ceil((endsAt - now.getTime()) / 1_000);
}

function pairOf({ clientId, certificateThumbprint }: Attempt): string {
  return `${clientId} ${certificateThumbprint}`;
}
