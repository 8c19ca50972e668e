const LONGEST_MS = 20;
/** After a round that sent fewer, the next one follows at once. */
const MANY = 8;
/** A poll costs a tenth of a round. */
const AFTER_FEW_MS = 10;
/** Reading past the rows of failing topics may take one tenth of the time. */
const SHARE_OF_FAILING = 10;

/** A round of the relay: how many rows it sent, how long it took, and how long of that the database read. */
export interface Round {
  sent: number;
  tookMs: number;
  readingMs: number;
  /** Rows of failing topics were skipped. */
  hasFailingTopics: boolean;
}

/**
 * Returns how long the relay waits after a round, in milliseconds. After few rows it does not wait. After many it waits as long as the
 * round took, so that twice as many rows share the cost of a round here, at the broker and in the consumers.
 */
export function relayBackoff({ sent, tookMs, readingMs, hasFailingTopics }: Round): number {
  return Math.max(
    sent < MANY ? 0 : Math.min(tookMs, LONGEST_MS),
    hasFailingTopics ? (SHARE_OF_FAILING - 1) * readingMs : 0,
  );
}

/**
 * Returns the delay until the next poll after a round, in milliseconds. After many rows there may be more, so it is 0. After few, this
 * process wakes the relay for its own rows; another process may have been kept from its rows by the round.
 * @param pollMs after none
 */
export function nextPollDelay(sent: number, pollMs: number): number {
  if (sent >= MANY) return 0;
  return sent > 0 ? Math.min(AFTER_FEW_MS, pollMs) : pollMs;
}
