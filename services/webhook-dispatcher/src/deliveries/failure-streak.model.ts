/** Failed attempts of a queue in a row, of any deliveries (§6). */
export interface FailureStreak {
  readonly failures: number;
  /** The end of the first of them, by a monotonic clock in milliseconds; nothing when that was before the queue was claimed. */
  readonly since: number | undefined;
}

/** Failed attempts in a row before a subscription is paused, at least. */
export const MIN_FAILURES = 10;
/** Counting on would change nothing. */
const MAX_FAILURES = 1_000_000;

/** Returns the streak as of a claim. */
export function streakAtClaim(failures: number): FailureStreak {
  return { failures, since: undefined };
}

/** Updates the streak after an attempt. Only a 2xx ends it. */
export function streakAfter(
  streak: FailureStreak,
  { isAccepted, endedAt }: { isAccepted: boolean; endedAt: number },
): FailureStreak {
  if (isAccepted) return { failures: 0, since: endedAt };
  const failures = Math.min(streak.failures + 1, MAX_FAILURES);
  return { failures, since: streak.failures === 0 ? endedAt : streak.since };
}

/** Returns the milliseconds since it began; undefined if only the database knows. */
export function failingMs({ failures, since }: FailureStreak, now: number): number | undefined {
  return failures === 0 || since === undefined ? undefined : Math.round(now - since);
}
