const LONGEST_MS = 20;
/** A round that sent fewer is followed by the next one at once. */
const MANY = 8;
/** A look takes a tenth of what a round does. */
const AFTER_FEW_MS = 10;
/** Of the time, that reading past the rows of topics in trouble may take: one part in so many. */
const SHARE_OF_FAILING = 10;

/** A round of the relay: how many rows it sent, how long it took, and how long of that the database read. */
export interface Round {
  sent: number;
  tookMs: number;
  readingMs: number;
  /** The rows of topics that take nothing were passed over. */
  hasFailingTopics: boolean;
}

/**
 * How long the relay rests after a round, in milliseconds. Where few come, what is written during a round makes the next, and waits for
 * nothing else. Where many come, as long as the round took: so twice as many share what a round costs, here, at the broker and in whoever reads.
 */
export function relayBackoff({ sent, tookMs, readingMs, hasFailingTopics }: Round): number {
  return Math.max(
    sent < MANY ? 0 : Math.min(tookMs, LONGEST_MS),
    hasFailingTopics ? (SHARE_OF_FAILING - 1) * readingMs : 0,
  );
}

/**
 * When the relay looks by itself after a round that sent so many rows, in milliseconds: after many at once, as there may be more. Whoever
 * adds to few in this process wakes it; another process may have been kept from its own rows by the round.
 * @param pollMs after none
 */
export function nextPollDelay(sent: number, pollMs: number): number {
  if (sent >= MANY) return 0;
  return sent > 0 ? Math.min(AFTER_FEW_MS, pollMs) : pollMs;
}
