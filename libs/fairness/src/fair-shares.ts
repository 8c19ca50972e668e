import { KeyedCounter } from './keyed-counter.ts';

/** A holder of slots: a client, and all clients of its organization together. */
export interface Party {
  readonly clientId: string;
  /** organizationIdentifier; a client without one is bounded for itself alone. */
  readonly organization: string | undefined;
}

/**
 * Divides a limited number of slots. A party may take one more while it has less than its share of those that are **free**, so some
 * are left for the next party, however many there are.
 */
export class FairShares {
  readonly #max: number;
  readonly #share: number;
  #taken = 0;
  readonly #byClient = new KeyedCounter();
  readonly #byOrganization = new KeyedCounter();

  /** @param options.share 0 < share ≤ 1 */
  constructor(options: { max: number; share: number }) {
    this.#max = options.max;
    this.#share = options.share;
  }

  /** Slots that a client has. */
  ofClient(clientId: string): number {
    return this.#byClient.of(clientId);
  }

  /** Names the bound that keeps a party from one more slot; undefined when it may take one. */
  boundOf({ clientId, organization }: Party): 'total' | 'client' | 'organization' | undefined {
    const free = this.#max - this.#taken;
    if (free <= 0) return 'total';
    const allowed = this.#share * free;
    if (this.#byClient.of(clientId) >= allowed) return 'client';
    if (organization !== undefined && this.#byOrganization.of(organization) >= allowed) return 'organization';
    return undefined;
  }

  /** Takes a slot, also beyond the share: ask `boundOf` first. */
  acquire(party: Party): void {
    this.#change(party, 1);
  }

  release(party: Party): void {
    this.#change(party, -1);
  }

  #change({ clientId, organization }: Party, change: 1 | -1): void {
    this.#taken += change;
    this.#byClient.add(clientId, change);
    if (organization !== undefined) this.#byOrganization.add(organization, change);
  }
}
