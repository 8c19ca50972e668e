/** The state of an organization's queues. */
export interface OrganizationQueues {
  /** Milliseconds for which the oldest free queue has had due deliveries; 0 if there is none. */
  unclaimedMs: number;
  /** Whether any process holds one of them. */
  isHeld: boolean;
}

/**
 * Finds organizations none of whose queues is claimed. An organization without a claimed queue comes first (ADR-0034), so one that
 * waits for long shows a fault of the service.
 */
export class StarvedOrganizations {
  /** For each organization that was starved at the last look, the first look at which it was. */
  #since = new Map<string, number>();

  /**
   * @param now of the monotonic clock
   * @returns for how many milliseconds the longest has been starved, at every look since
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
