import { ApiError } from '@kontoport/errors';
import type { BasketState } from './basket-state.model.ts';
import type { Answer, ApprovalRequest, Basket } from './basket.model.ts';
import { type Draft } from './draft.model.ts';
import { expire, refuse } from './payment.model.ts';
import { rejectionBecause } from './rejection.model.ts';
import type { StandingOrder } from './standing-order.model.ts';
import { TEXTS } from './texts.ts';

/** Result of the strong customer authentication. */
export type ScaResult =
  | {
      outcome: 'approved';
      approve: (draft: Draft) => Draft;
      activate: (order: StandingOrder) => StandingOrder;
    }
  /** The user declined, on our page or at the bank. */
  | { outcome: 'declined' }
  /** The bank cannot authenticate. */
  | { outcome: 'failed' }
  /** The user did not answer the bank in time. */
  | { outcome: 'expired' };

/** The approval request of a basket that waits for its user; otherwise undefined. */
export function openApprovalRequest({ status, approvalRequest }: Basket): ApprovalRequest | undefined {
  return status === 'AWAITING_APPROVAL' ? approvalRequest : undefined;
}

/** Whether our page asks the user, or asked: the sandbox's users mostly answer without it. */
export function isAsked({ approvalRequest }: Basket): boolean {
  if (approvalRequest === undefined) return false;
  return approvalRequest.answer === undefined || approvalRequest.answer.digest !== undefined;
}

/** Whether a basket still waits for its user after `expiresAt`. */
export function isOverdue(basket: Basket, now: Date): boolean {
  const request = openApprovalRequest(basket);
  return request !== undefined && request.expiresAt <= now;
}

/** AWAITING_APPROVAL → EXPIRED after `expiresAt`; any other basket is returned unchanged. */
export function expireIfOverdue(found: BasketState, now: Date): BasketState {
  return isOverdue(found.basket, now) ? expireNow(found, now) : found;
}

/** AWAITING_APPROVAL → EXPIRED, for example because its client withdrew it (§3.3); any other basket is returned unchanged. */
export function expireNow(found: BasketState, now: Date): BasketState {
  if (openApprovalRequest(found.basket) === undefined) return found;
  return ended(found, {
    basket: { ...found.basket, status: 'EXPIRED' },
    draft: (draft) => expire(draft, now),
    order: (order) => ({ ...order, status: 'EXPIRED', updatedAt: now }),
  });
}

/**
 * Records the user's first answer; later answers change nothing. A decline ends the request; the bank authenticates an approval.
 * @param options.leaseMs milliseconds that the caller has to poll the bank before another process does
 */
export function recordAnswer(
  found: BasketState,
  { answer, leaseMs }: { answer: Answer; leaseMs: number },
): BasketState {
  const present = expireIfOverdue(found, answer.at);
  const request = openApprovalRequest(present.basket);
  if (request === undefined || request.answer !== undefined) return present;
  const answered = { ...present, basket: { ...present.basket, approvalRequest: { ...request, answer } } };
  if (answer.decision === 'decline') return completeApproval(answered, { outcome: 'declined' }, answer.at);
  return { ...answered, basket: leaseApprovalRequest(answered.basket, { now: answer.at, leaseMs }) };
}

/** Leases a due basket to one process for `leaseMs`, or until it expires. */
export function leaseApprovalRequest(
  basket: Basket,
  { now, leaseMs }: { now: Date; leaseMs: number },
): Basket {
  const request = openApprovalRequest(basket);
  if (request === undefined) return basket;
  const lostAt = new Date(now.getTime() + leaseMs);
  // An overdue request is claimed to be expired: the lease covers that write.
  const dueAt = isOverdue(basket, now) ? lostAt : earlier(lostAt, request.expiresAt);
  return { ...basket, approvalRequest: { ...request, attempts: request.attempts + 1, dueAt } };
}

/**
 * Schedules the next poll of the bank at `dueAt`, or at the expiry if that is earlier.
 * @param approvalUrl page of the bank where its user can answer
 */
export function schedulePoll(found: BasketState, dueAt: Date, approvalUrl?: string): BasketState {
  const { basket } = found;
  const request = openApprovalRequest(basket);
  if (request === undefined) return found;
  const at = approvalUrl === undefined ? {} : { approvalUrl };
  return {
    ...found,
    basket: { ...basket, approvalRequest: { ...request, ...at, dueAt: earlier(dueAt, request.expiresAt) } },
  };
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** Completes the approval with the result; a completed one is returned unchanged, an overdue one is EXPIRED. */
export function completeApproval(found: BasketState, end: ScaResult, now: Date): BasketState {
  const present = expireIfOverdue(found, now);
  const { basket } = present;
  const request = openApprovalRequest(basket);
  if (request === undefined) return present;
  if (end.outcome === 'expired') return expireNow(present, now);
  if (end.outcome === 'approved') {
    const { approve: draft, activate: order } = end;
    return ended(present, { basket: { ...basket, status: 'APPROVED' }, draft, order });
  }
  const [error, rule] =
    end.outcome === 'declined'
      ? (['access_denied', 'rejected-by-user'] as const)
      : (['failed', 'rejected-unauthenticated'] as const);
  const rejection = rejectionBecause('STATUS_INVALID', TEXTS(rule));
  return ended(present, {
    basket: { ...basket, status: 'REJECTED', approvalRequest: { ...request, error } },
    draft: (draft) => refuse(draft, { rejection, now }),
    order: (order) => ({ ...order, status: 'REJECTED', updatedAt: now }),
  });
}

/** Closes the basket with the drafts and the standing order that still wait for it. */
function ended(
  { basket: { requestId }, drafts, standingOrder }: BasketState,
  end: {
    basket: Basket;
    draft: (draft: Draft) => Draft;
    order: (order: StandingOrder) => StandingOrder;
  },
): BasketState {
  return {
    basket: end.basket,
    drafts: drafts.map((draft) =>
      draft.status === 'AWAITING_APPROVAL' && draft.payment?.requestId === requestId
        ? end.draft(draft)
        : draft,
    ),
    ...(standingOrder && {
      standingOrder: standingOrder.status === 'AWAITING_APPROVAL' ? end.order(standingOrder) : standingOrder,
    }),
  };
}

/** Returns the redirectUrl for the user's browser, with `error` if nothing was approved (§4.4). */
export function returnUrl({ redirectUrl, status, approvalRequest }: Basket): string {
  const error = status === 'EXPIRED' ? 'expired' : status === 'REJECTED' ? approvalRequest?.error : undefined;
  if (error === undefined) return redirectUrl;
  return `${redirectUrl}${redirectUrl.includes('?') ? '&' : '?'}error=${error}`;
}

/** The same error for an unknown link, an expired one and another user's (§4.4). */
export function unknownApproval(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-approval'));
}
