import type { NoAnswerReason } from '@kontoport/egress';
import { nextWait, type RetrySchedule } from './retry-schedule.model.ts';

/** How one POST ended: a 2xx, another status, no answer in time, no connection, no permission to connect. */
export type AttemptOutcome = 'accepted' | 'rejected' | 'timeout' | 'unreachable' | 'forbidden';

/** Why an attempt failed (§6), and its outcome then. */
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

/** What became of one POST. */
export interface AttemptResult {
  outcome: AttemptOutcome;
  /** Why it failed; nothing after a 2xx. */
  reason?: AttemptReason;
  /** Of the answer, where there was one. */
  httpStatus?: number;
  /** How the body of a refusal begins. */
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
  /** Where its row lies in the table, until somebody writes it. */
  place: string;
  /** Made before, in all. */
  attempts: number;
  /** Made before, by the schedule that runs now. */
  step: number;
  /** JSON text of the body without the subscriptionId. */
  content: string;
  traceparent: string | null;
  /** Where its queue leads by now; null: where it led before. */
  callbackUrl: string | null;
}

/** What one statement stored anew for a queue, and what it saw of the queue. */
export interface NewDeliveries extends QueueToClaim {
  /** Who held it; null: nobody. */
  claimId: string | null;
  /** Where it led. */
  callbackUrl: string;
  deliveries: readonly DueDelivery[];
}

/** An attempt as the log keeps it. */
export interface MadeAttempt {
  startedAt: string;
  milliseconds: number;
  outcome: AttemptOutcome;
  /** Attempts of earlier versions have none. */
  reason?: AttemptReason;
  httpStatus?: number;
  /** How the body of a refusal began: sealed for `excerptContext`, in base64. */
  sealedExcerpt?: string;
}

/** Where a sealed excerpt belongs: it opens for no other delivery. */
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

/** What becomes of a delivery after an attempt. */
export type NextStep = { status: 'delivered' | 'exhausted' } | { status: 'pending'; waitMs: number };

/** An attempt that ended, and what follows from it. */
export interface OutcomeToRecord extends QueueClaim, DeliveryKey {
  /** As the delivery was found. */
  place: string;
  /** Attempts made before this one. */
  attempts: number;
  made: MadeAttempt;
  next: NextStep;
  /** The receiver is gone: the subscription is paused, if it still leads there. */
  pause: boolean;
  /** Where it was sent. */
  callbackUrl: string;
}

/** A delivery is sent so often at most, by however many schedules. */
export const MAX_ATTEMPTS = 100;

/** Whether an attempt says that the endpoint has too much to do. */
export function isOverload({ outcome, httpStatus }: AttemptResult): boolean {
  return outcome === 'timeout' || outcome === 'unreachable' || httpStatus === 429 || httpStatus === 503;
}

/** Whether the receiver asks for no more deliveries at all: 410 Gone (§6). */
export function isGone({ httpStatus }: AttemptResult): boolean {
  return httpStatus === 410;
}

/**
 * What becomes of a delivery after an attempt.
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

/** A queue, which is one subscription, and whose it is. */
export interface QueueToClaim {
  subscriptionId: string;
  clientId: string;
}

/** A subscription whose deliveries this process may send, and all that is needed to send them. */
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

/** Names a queue together with the claim under which it is held. */
export interface QueueClaim {
  subscriptionId: string;
  claimId: string;
}

/** What is known of the receiver to which a queue led: its outages, and its failures in a row. */
export interface ReceiverState {
  callbackUrl: string;
  outages: number;
  failures: number;
  /** For so many milliseconds; nothing when the first of them was before the queue was claimed. */
  failingMs: number | undefined;
}

/** How a queue is given back. */
export interface QueueRelease extends ReceiverState {
  /** Milliseconds that it waits; 0 puts it behind those that wait already, nothing leaves it where it is due. */
  waitMs: number | undefined;
}
