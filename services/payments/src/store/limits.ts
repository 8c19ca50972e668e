/** How long and how much the sandbox keeps. */
export interface SandboxLimits {
  /** Milliseconds that a draft or basket lives after its last change. */
  readonly lifetimeMs: number;
  /** Entries that one client keeps at most: its drafts, and the drafts that its baskets name. */
  readonly entriesPerClient: number;
  /** Entries that all clients together keep at most. */
  readonly entriesInAll: number;
}

/**
 * The lifetime is that of §8: 24 hours. The bounds are ours: memory is finite, and one client must not take that of
 * the others.
 */
export const SANDBOX_LIMITS: SandboxLimits = {
  lifetimeMs: 24 * 60 * 60_000,
  entriesPerClient: 10_000,
  entriesInAll: 100_000,
};

/** Seconds after which a client that reached a bound may try again. */
export const FULL_RETRY_AFTER_SECONDS = 60;
