import type { ErrorCode } from '@kontoport/errors';

/** Errors of the ledger that say nothing about the payment: it is posted again later. All others refuse it. */
const NO_ANSWER: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_ERROR']);

export function isRefusal(code: ErrorCode): boolean {
  return !NO_ANSWER.has(code);
}

const FIRST_MS = 250;
const LONGEST_MS = 10_000;

/**
 * Milliseconds until the next attempt: doubling from 250 ms to 10 s, ± 20 %.
 * @param attempts how many began so far (1 or more)
 * @param random from 0 up to 1
 */
export function retryDelayMs({ attempts, random }: { attempts: number; random: number }): number {
  const planned = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 16), LONGEST_MS);
  return Math.round(planned * (0.8 + 0.4 * random));
}
