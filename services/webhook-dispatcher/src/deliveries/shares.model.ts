/** Who takes part: a client, and all clients of its organization together. */
export interface Party {
  readonly clientId: string;
  /** organizationIdentifier; without one the client stands for itself. */
  readonly organization: string | undefined;
}

/**
 * Counts who has how much of something that there is a limited number of. A party may take more while it has less than
 * a share of what is **left**: whoever takes leaves something for the next, however many they are (ADR-0034).
 */
export class Shares {
  readonly #most: number;
  readonly #share: number;
  #taken = 0;
  readonly #byClient = new Map<string, number>();
  readonly #byOrganization = new Map<string, number>();

  /** @param options.share 0 < share ≤ 1 */
  constructor(options: { most: number; share: number }) {
    this.#most = options.most;
    this.#share = options.share;
  }

  /** How much this client has. */
  of({ clientId }: Pick<Party, 'clientId'>): number {
    return this.#byClient.get(clientId) ?? 0;
  }

  /** What keeps this party from taking one more; nothing when it may. */
  limit({ clientId, organization }: Party): 'all' | 'client' | 'organization' | undefined {
    const left = this.#most - this.#taken;
    if (left <= 0) return 'all';
    const allowed = this.#share * left;
    if ((this.#byClient.get(clientId) ?? 0) >= allowed) return 'client';
    if (organization !== undefined && (this.#byOrganization.get(organization) ?? 0) >= allowed)
      return 'organization';
    return undefined;
  }

  take(party: Party): void {
    this.#change(party, 1);
  }

  giveBack(party: Party): void {
    this.#change(party, -1);
  }

  #change({ clientId, organization }: Party, by: 1 | -1): void {
    this.#taken += by;
    change(this.#byClient, clientId, by);
    if (organization !== undefined) change(this.#byOrganization, organization, by);
  }
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/**
 * The candidates in the order in which they are served: whose client has least comes first, one after the other round
 * the clients; among equals the order in which they were given.
 */
export function inTurn<Candidate extends Pick<Party, 'clientId'>>(
  candidates: readonly Candidate[],
  shares: Pick<Shares, 'of'>,
): Candidate[] {
  const ahead = new Map<string, number>();
  const turns = candidates.map((candidate) => {
    const turn = ahead.get(candidate.clientId) ?? shares.of(candidate);
    ahead.set(candidate.clientId, turn + 1);
    return { candidate, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ candidate }) => candidate);
}
