/** The wait before each attempt in milliseconds, the first attempt included. */
export type RetrySchedule = readonly number[];

const JITTER = 0.2;

/**
 * Returns the wait before the next attempt, in milliseconds; nothing when the schedule is exhausted.
 * The planned wait varies by ±20 %, so that deliveries that failed together are not retried together. A Retry-After counts
 * within 1 to 2 times the wait: a receiver can slow us down, not stop us.
 * @param options.attempts attempts made so far, the failed one included
 * @param options.random 0 ≤ random < 1
 * @param options.retryAfter milliseconds, from the answer to the last attempt
 */
export function nextWait(options: {
  schedule: RetrySchedule;
  attempts: number;
  random: number;
  retryAfter?: number | undefined;
}): number | undefined {
  const { schedule, attempts, random, retryAfter = 0 } = options;
  const planned = schedule[attempts];
  if (planned === undefined) return undefined;
  const wait = planned * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.min(Math.max(wait, retryAfter), 2 * wait));
}

/**
 * Reads a Retry-After header (RFC 9110 §10.2.3: seconds or a date) as milliseconds from `now`; nothing when it is
 * absent or malformed.
 */
export function readRetryAfter(header: string | string[] | undefined, now: Date): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
