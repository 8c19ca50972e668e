/** What attempts have said so far about a lane's receiver (ADR-0034). */
export interface LaneHealth {
  /** Outages in a row, the present one included; above 0 the lane is probed with one delivery at a time. */
  readonly outages: number;
  /** Attempts in a row without an answer. */
  readonly unanswered: number;
  /** Nothing more is sent until the lane has waited. */
  readonly isOut: boolean;
}

/** So many attempts in a row without an answer are an outage. */
export const UNANSWERED = 5;
/** Counting on would change nothing. */
const MOST_OUTAGES = 100;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60_000;
const JITTER = 0.2;

/** What is known of a lane that was just claimed. */
export function healthAtClaim(outages: number): LaneHealth {
  return { outages, unanswered: 0, isOut: false };
}

/** An answer of any status ends an outage; under one, a single attempt without an answer is the next. */
export function afterAnswerOrNone(health: LaneHealth, isAnswered: boolean): LaneHealth {
  if (isAnswered) return healthAtClaim(0);
  if (health.isOut) return health;
  const unanswered = health.unanswered + 1;
  const isOut = health.outages > 0 || unanswered >= UNANSWERED;
  const outages = isOut ? Math.min(health.outages + 1, MOST_OUTAGES) : health.outages;
  return { outages, unanswered, isOut };
}

/**
 * How long a lane waits after so many outages in a row, in milliseconds.
 * @param random 0 ≤ random < 1
 */
export function outageWait(outages: number, random: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (outages - 1), LONGEST_WAIT_MS);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}
