import type { NoAnswerReason } from '@kontoport/egress';
import { nextWait, type RetrySchedule } from './retry-schedule.model.ts';

/** The outcome of one POST: a 2xx, another status, no answer in time, no answer at all, an address that is not allowed. */
export type AttemptOutcome = 'accepted' | 'rejected' | 'timeout' | 'unreachable' | 'forbidden';

/** The reason of a failed attempt (§6), and its outcome. */
const FAILED = {
  status: 'rejected',
  timeout: 'timeout',
  address: 'forbidden',
  dns: 'unreachable',
  proxy: 'unreachable',
  refused: 'unreachable',
  tls: 'unreachable',
  certificate: 'unreachable',
  reset: 'unreachable',
  protocol: 'unreachable',
  'answer-too-long': 'unreachable',
} as const satisfies Record<NoAnswerReason | 'status', AttemptOutcome>;

export type AttemptReason = keyof typeof FAILED;

export const ATTEMPT_REASONS = Object.keys(FAILED) as [AttemptReason, ...AttemptReason[]];

/** The outcome and the reason of an attempt that failed. */
export function failedBy(reason: AttemptReason): { outcome: AttemptOutcome; reason: AttemptReason } {
  return { outcome: FAILED[reason], reason };
}

/** The result of one POST. */
export interface AttemptResult {
  outcome: AttemptOutcome;
  /** The reason of its failure; nothing after a 2xx. */
  reason?: AttemptReason;
  /** The status of the answer, if there was one. */
  httpStatus?: number;
  /** The beginning of the body of a refusal. */
  excerpt?: Buffer;
  /** Milliseconds that the receiver asks us to wait (429, 503). */
  retryAfter?: number | undefined;
  startedAt: Date;
  milliseconds: number;
}

/** Names a delivery: an event goes to a subscription once. */
export interface DeliveryKey {
  subscriptionId: string;
  eventId: string;
}

/** A delivery that is due. */
export interface DueDelivery extends DeliveryKey {
  /** The `ctid` of its row, until the row is written. */
  place: string;
  /** Made before, in all. */
  attempts: number;
  /** Made before, by the schedule that runs now. */
  step: number;
  /** JSON text of the body without the subscriptionId. */
  content: string;
  traceparent: string | null;
  /** The callback, if it has changed since the claim; else null. */
  callbackUrl: string | null;
}

/** Deliveries that one statement stored for a queue, and the state of the queue that it saw. */
export interface NewDeliveries extends QueueToClaim {
  /** The claim under which it is held; null if it is free. */
  claimId: string | null;
  /** Its callback. */
  callbackUrl: string;
  deliveries: readonly DueDelivery[];
}

/** An attempt as the log stores it. */
export interface MadeAttempt {
  startedAt: string;
  milliseconds: number;
  outcome: AttemptOutcome;
  /** Attempts of earlier versions have none. */
  reason?: AttemptReason;
  httpStatus?: number;
  /** The beginning of the body of a refusal: encrypted for `excerptContext`, in base64. */
  sealedExcerpt?: string;
}

/** Binds a sealed excerpt to its delivery: it opens for no other. */
export function excerptContext({ subscriptionId, eventId }: DeliveryKey): string {
  return `excerpt/${subscriptionId}/${eventId}`;
}

/**
 * The body of a delivery (§2.12): the same bytes at every attempt.
 * @param subscriptionId as its owner chose it: of a form that needs no escaping in JSON
 */
export function bodyOf(subscriptionId: string, content: string): Buffer {
  return Buffer.from(`{"subscriptionId":"${subscriptionId}",${content.slice(1)}`);
}

/** The consequence of an attempt for its delivery. */
export type NextStep = { status: 'delivered' | 'exhausted' } | { status: 'pending'; waitMs: number };

/** An attempt that ended, and its consequences. */
export interface OutcomeToRecord extends QueueClaim, DeliveryKey {
  /** The `ctid` at which the delivery was found. */
  place: string;
  /** Attempts made before this one. */
  attempts: number;
  made: MadeAttempt;
  next: NextStep;
  /** The receiver answered 410 Gone: the subscription is paused, unless its callback has changed. */
  pause: boolean;
  /** Where it was sent. */
  callbackUrl: string;
}

/** Attempts of one delivery at most, over all schedules. */
export const MAX_ATTEMPTS = 100;

/** Returns whether an attempt shows that the receiver is overloaded. */
export function isOverload({ outcome, httpStatus }: AttemptResult): boolean {
  return outcome === 'timeout' || outcome === 'unreachable' || httpStatus === 429 || httpStatus === 503;
}

/** Returns whether the receiver wants no more deliveries: 410 Gone (§6). */
export function isGone({ httpStatus }: AttemptResult): boolean {
  return httpStatus === 410;
}

/**
 * Decides what happens to a delivery after an attempt.
 * @param plan.attempts attempts made so far by this schedule, this one included
 * @param plan.inAll attempts made so far by any schedule
 * @param plan.random 0 ≤ random < 1
 */
export function nextStepAfter(
  { outcome, retryAfter }: AttemptResult,
  plan: { schedule: RetrySchedule; attempts: number; inAll: number; random: number },
): NextStep {
  if (outcome === 'accepted') return { status: 'delivered' };
  if (plan.inAll >= MAX_ATTEMPTS) return { status: 'exhausted' };
  const waitMs = nextWait({ ...plan, retryAfter });
  return waitMs === undefined ? { status: 'exhausted' } : { status: 'pending', waitMs };
}

/** The queue of a subscription, and its owner. */
export interface QueueToClaim {
  subscriptionId: string;
  clientId: string;
}

/** A queue that this process has claimed, with everything that sending needs. */
export interface ClaimedQueue extends QueueToClaim {
  /** The id that its owner chose. */
  id: string;
  callbackUrl: string;
  sealedKey: Uint8Array;
  /** Outages in a row, as the row has them. */
  outages: number;
  /** Attempts in a row that failed, as the row has them. */
  failures: number;
}

/** A queue and the claim under which it is held. */
export interface QueueClaim {
  subscriptionId: string;
  claimId: string;
}

/** The known state of the receiver at a callback: its outages and failures in a row. */
export interface ReceiverState {
  callbackUrl: string;
  outages: number;
  failures: number;
  /** Milliseconds since the first of these failures; undefined if it was before the claim. */
  failingMs: number | undefined;
}

/** The state of a queue that is released. */
export interface QueueRelease extends ReceiverState {
  /** Milliseconds that it waits; 0 puts it behind those that wait already, nothing leaves it where it is due. */
  waitMs: number | undefined;
}
