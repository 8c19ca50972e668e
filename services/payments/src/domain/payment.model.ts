import { ApiError } from '@kontoport/errors';
import { nextStatus } from './draft-status.model.ts';
import { type Draft, paymentOf, type Rejection } from './draft.model.ts';
import type { PaymentRules, Posting, SenderAccount } from './payment-types/payment-type.model.ts';
import { TEXTS } from './texts.ts';

/** The rules by which the drafts of an approval become payments. */
export interface Approval {
  /** The basket that approves. */
  requestId: string;
  now: Date;
  /** Milliseconds until a payment with a delay is due. */
  settlementDelayMs: number;
  /** The bank's own delay, where it has one. */
  holdMs?: ((posting: Posting) => number) | undefined;
  /** W3C traceparent. */
  traceparent: string | undefined;
  /** The begin of the requested day; absent: as soon as it is approved. */
  notBefore?: Date | undefined;
}

/** CREATED, or AWAITING_APPROVAL, → PENDING: the draft becomes a payment (§3.2). @throws ApiError STATUS_INVALID (409) */
export function approve(
  draft: Draft,
  approval: Approval & { rules: PaymentRules; paymentId: string; senderAccount: SenderAccount },
): Draft {
  const { paymentId, senderAccount, requestId, now, traceparent } = approval;
  const dueAt = dueAtApproval(draft, approval);
  return {
    ...draft,
    status: nextStatus(draft.status, 'approve'),
    senderAccount,
    payment: { paymentId, requestId, approvedAt: now, dueAt, attempts: 0, traceparent },
    updatedAt: now,
  };
}

/** CREATED → AWAITING_APPROVAL, until `expiresAt`: what it would become has its id already. @throws ApiError STATUS_INVALID (409) */
export function submit(
  draft: Draft,
  submission: Pick<Approval, 'requestId' | 'now' | 'traceparent'> & {
    paymentId: string;
    senderAccount: SenderAccount;
    expiresAt: Date;
  },
): Draft {
  const { paymentId, senderAccount, requestId, now, expiresAt, traceparent } = submission;
  return {
    ...draft,
    status: nextStatus(draft.status, 'submit'),
    senderAccount,
    payment: { paymentId, requestId, approvedAt: now, dueAt: expiresAt, attempts: 0, traceparent },
    updatedAt: now,
  };
}

/** AWAITING_APPROVAL → REJECTED. @throws ApiError STATUS_INVALID (409) */
export function refuse(draft: Draft, { rejection, now }: { rejection: Rejection; now: Date }): Draft {
  return { ...draft, rejection, status: nextStatus(draft.status, 'refuse'), updatedAt: now };
}

/** AWAITING_APPROVAL → EXPIRED. @throws ApiError STATUS_INVALID (409) */
export function expire(draft: Draft, now: Date): Draft {
  return { ...draft, status: nextStatus(draft.status, 'expire'), updatedAt: now };
}

/**
 * The due time of an approved payment: on the requested day, at once if its type requires it, otherwise after the delay. A payment without a
 * draft always has the delay, in which its client can delete it (§3.3).
 */
function dueAtApproval({ kind, fields }: Draft, approval: Approval & { rules: PaymentRules }): Date {
  const { rules, now, settlementDelayMs, holdMs, notBefore = now } = approval;
  const atOnce = kind === 'draft' && rules.onApproval === 'settle-at-once';
  const delayMs = (atOnce ? 0 : settlementDelayMs) + (holdMs?.(rules.posting(fields)) ?? 0);
  return new Date(Math.max(now.getTime(), notBefore.getTime()) + delayMs);
}

/**
 * Refuses to ask the bank for a cancellation that cannot be (§3.2).
 * @throws ApiError RESOURCE_UNKNOWN where there is no payment, STATUS_INVALID (409) for anything but PENDING
 */
export function requireCancellable(draft: Draft): void {
  if (draft.payment === undefined) throw new ApiError('RESOURCE_UNKNOWN', TEXTS('no-payment'));
  nextStatus(draft.status, 'cancel');
}

/** PENDING → CREATED, once the bank cannot book the payment any more (§3.2). @throws ApiError STATUS_INVALID (409) */
export function cancelPayment(draft: Draft, now: Date): Draft {
  const { payment: _cancelled, ...rest } = draft;
  return { ...rest, status: nextStatus(draft.status, 'cancel'), updatedAt: now };
}

/** Begins an attempt to post, leased for `leaseMs`. */
export function beginPosting(draft: Draft, { now, leaseMs }: { now: Date; leaseMs: number }): Draft {
  const status = nextStatus(draft.status, 'post');
  const payment = paymentOf(draft);
  const dueAt = new Date(now.getTime() + leaseMs);
  return { ...draft, status, payment: { ...payment, attempts: payment.attempts + 1, dueAt } };
}

/** Outcome of an attempt to post. */
export type PostingOutcome =
  | { outcome: 'settle' }
  | { outcome: 'reject'; rejection: Rejection }
  | { outcome: 'postpone'; dueAt: Date }
  /** It was cancelled with the bank before. */
  | { outcome: 'cancel' };

/** Applies the outcome of an attempt to the draft; a draft with another payment is returned unchanged. */
export function endPosting(draft: Draft, end: PostingOutcome & { paymentId: string; now: Date }): Draft {
  if (draft.status !== 'PENDING' || draft.payment?.paymentId !== end.paymentId) return draft;
  if (end.outcome === 'cancel') return cancelPayment(draft, end.now);
  const status = nextStatus(draft.status, end.outcome);
  if (end.outcome === 'postpone')
    return { ...draft, status, payment: { ...draft.payment, dueAt: end.dueAt } };
  const rejection = end.outcome === 'reject' ? { rejection: end.rejection } : {};
  return { ...draft, ...rejection, status, updatedAt: end.now };
}
