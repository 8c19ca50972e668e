import { ApiError, type ErrorCode } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import type { PostingOutcome } from './payment.model.ts';
import { rejectionOf } from './rejection.model.ts';

/** The bank's status of a payment that is not rejected. */
export type SubmissionAnswer = 'booked' | 'pending' | 'cancelled';

/** Errors of the bank that leave the payment undecided: it is submitted again later. All others refuse it. */
const NO_ANSWER: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_ERROR']);

export function isRefusal(code: ErrorCode): boolean {
  return !NO_ANSWER.has(code);
}

/**
 * Interprets the bank's answer to a submission, or its error, for the payment of `amount`.
 * @param attempt.attempts how many began so far (1 or more)
 * @param attempt.random from 0 up to 1
 */
export function outcomeOf(
  answer: SubmissionAnswer | ApiError,
  attempt: { amount: Money; attempts: number; now: Date; random: number },
): PostingOutcome {
  if (answer === 'booked') return { outcome: 'settle' };
  // The bank has cancelled it, but the process that requested that did not store the result.
  if (answer === 'cancelled') return { outcome: 'cancel' };
  if (answer instanceof ApiError && isRefusal(answer.code))
    return { outcome: 'reject', rejection: rejectionOf(answer.code, attempt.amount) };
  return { outcome: 'postpone', dueAt: new Date(attempt.now.getTime() + retryDelayMs(attempt)) };
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
