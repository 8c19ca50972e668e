/** The lifetime and the maximum number of the sandbox's items. */
export interface SandboxLimits {
  /** Milliseconds that a draft or basket lives after its last change. */
  readonly lifetimeMs: number;
  /** Entries that one client keeps at most: its drafts, and the drafts that its baskets name. */
  readonly entriesPerClient: number;
  /** Entries that all clients together keep at most. */
  readonly entriesInAll: number;
  /**
   * The part of the entries left by others that the clients of one organization together may use, above 0, below 1.
   * So there is always room for one more organization, and the bound of all needs no check of its own.
   */
  readonly organizationShare: number;
  /** Events that wait for the broker at most; beyond it the organization with the most of them loses its oldest. */
  readonly eventsInAll: number;
}

/** Standing orders that are live, of one client and of the clients of one organization together, in every environment. */
export const MAX_STANDING_ORDERS = { ofClient: 500, ofOrganization: 5_000 };

/** The lifetime is that of §8: 24 hours. */
export const SANDBOX_LIFETIME_MS = 24 * 60 * 60_000;

/** Seconds after which a client that reached a bound may try again. */
export const FULL_RETRY_AFTER_SECONDS = 60;
