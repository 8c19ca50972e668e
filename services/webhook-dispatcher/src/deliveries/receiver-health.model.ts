/** The state of a receiver, as far as attempts have shown it (ADR-0034). */
export interface ReceiverHealth {
  /** Outages in a row, the present one included; above 0 one delivery at a time is the probe. */
  readonly outages: number;
  /** Attempts in a row without an answer. */
  readonly unanswered: number;
  /** The receiver is out: nothing is sent until the queue has waited. */
  readonly isOut: boolean;
}

/** Attempts in a row without an answer that make an outage. */
export const OUTAGE_AFTER = 5;
/** Counting on would change nothing. */
const MAX_OUTAGES = 100;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60_000;
const JITTER = 0.2;

/** Returns the health of a receiver as of a claim. */
export function healthAtClaim(outages: number): ReceiverHealth {
  return { outages, unanswered: 0, isOut: false };
}

/** Updates the health after an attempt. Any status ends an outage; during one, a single attempt without an answer is the next outage. */
export function healthAfter(health: ReceiverHealth, isAnswered: boolean): ReceiverHealth {
  if (isAnswered) return healthAtClaim(0);
  if (health.isOut) return health;
  const unanswered = health.unanswered + 1;
  const isOut = health.outages > 0 || unanswered >= OUTAGE_AFTER;
  const outages = isOut ? Math.min(health.outages + 1, MAX_OUTAGES) : health.outages;
  return { outages, unanswered, isOut };
}

/**
 * Returns the wait of a queue after a number of consecutive outages, in milliseconds.
 * @param random 0 ≤ random < 1
 */
export function outageBackoff(outages: number, random: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (outages - 1), LONGEST_WAIT_MS);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}
