/** Attempts of a queue that failed one after the other, of whatever deliveries, with no success in between (§6). */
export interface FailureStreak {
  readonly failures: number;
  /** When the first of them ended, by a monotonic clock in milliseconds; nothing when that was before the queue was claimed. */
  readonly since: number | undefined;
}

/** So many attempts in a row have failed at least before their subscription pauses. */
export const MIN_FAILURES = 10;
/** Counting on would change nothing. */
const MAX_FAILURES = 1_000_000;

/** What is known of a queue that was just claimed. */
export function streakAtClaim(failures: number): FailureStreak {
  return { failures, since: undefined };
}

/** Only a 2xx ends a streak. */
export function streakAfter(
  streak: FailureStreak,
  { isAccepted, endedAt }: { isAccepted: boolean; endedAt: number },
): FailureStreak {
  if (isAccepted) return { failures: 0, since: endedAt };
  const failures = Math.min(streak.failures + 1, MAX_FAILURES);
  return { failures, since: streak.failures === 0 ? endedAt : streak.since };
}

/** Milliseconds since it began; nothing when that is what the database knows. */
export function failingMs({ failures, since }: FailureStreak, now: number): number | undefined {
  return failures === 0 || since === undefined ? undefined : Math.round(now - since);
}
