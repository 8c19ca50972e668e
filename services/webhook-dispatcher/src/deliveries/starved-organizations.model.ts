/** How the queues of an organization stand. */
export interface OrganizationQueues {
  /** Milliseconds that the longest has something due and nobody holds it; 0 where there is none. */
  unclaimedMs: number;
  /** Whether anybody holds one of them. */
  isHeld: boolean;
}

/**
 * Who waits for a first queue. An organization with a backlog of its own always has one in somebody's hands, for whoever has none comes
 * first (ADR-0034): one that has none for long is left out by us (ADR-0034).
 */
export class StarvedOrganizations {
  /** Of those that were unserved at the last look, the first look of the row at which they were. */
  #since = new Map<string, number>();

  /**
   * @param now of the monotonic clock
   * @returns for how long one has waited for a first queue, the longest, at every look since; milliseconds
   */
  look(organizations: Iterable<readonly [string, OrganizationQueues]>, now: number): number {
    const since = new Map<string, number>();
    let longest = 0;
    for (const [organization, { unclaimedMs, isHeld }] of organizations) {
      if (isHeld || unclaimedMs === 0) continue;
      const first = this.#since.get(organization) ?? now;
      since.set(organization, first);
      longest = Math.max(longest, Math.min(unclaimedMs, now - first));
    }
    this.#since = since;
    return longest;
  }
}
