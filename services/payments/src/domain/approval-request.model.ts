import { ApiError } from '@kontoport/errors';
import type { Decision } from './basket-state.model.ts';
import type { Answer, Asking, Basket } from './basket.model.ts';
import { type Draft } from './draft.model.ts';
import { lapse, refuse } from './payment.model.ts';
import { rejectionBecause } from './rejection.model.ts';
import type { StandingOrder } from './standing-order.model.ts';
import { TEXTS } from './texts.ts';

/** How asking a user ended. */
export type AskingOutcome =
  | {
      outcome: 'approved';
      approve: (draft: Draft) => Draft;
      activate: (order: StandingOrder) => StandingOrder;
    }
  /** The user said no, here or to the bank. */
  | { outcome: 'declined' }
  /** The bank cannot authenticate. */
  | { outcome: 'failed' };

/** The asking of a basket that waits for its user; undefined where it does not, or not any more. */
export function askingOf({ status, asking }: Basket): Asking | undefined {
  return status === 'AWAITING_APPROVAL' ? asking : undefined;
}

/** Whether a basket waits for its user although its time is over. */
export function isOverdue(basket: Basket, now: Date): boolean {
  const asking = askingOf(basket);
  return asking !== undefined && asking.expiresAt <= now;
}

/** AWAITING_APPROVAL → EXPIRED, once its time is over; whatever else it is stays as it is. */
export function lapseIfOverdue(found: Decision, now: Date): Decision {
  return isOverdue(found.basket, now) ? lapseNow(found, now) : found;
}

/** AWAITING_APPROVAL → EXPIRED, as its client wants it no more (§3.3); what does not wait stays as it is. */
export function lapseNow(found: Decision, now: Date): Decision {
  if (askingOf(found.basket) === undefined) return found;
  return ended(found, {
    basket: { ...found.basket, status: 'EXPIRED' },
    draft: (draft) => lapse(draft, now),
    order: (order) => ({ ...order, status: 'EXPIRED', updatedAt: now }),
  });
}

/**
 * What the user says, if nothing was said before: the first answer stands. A no ends it; a yes goes on to the bank.
 * @param options.leaseMs how long the caller has to ask the bank before somebody else does
 */
export function giveAnswer(
  found: Decision,
  { answer, leaseMs }: { answer: Answer; leaseMs: number },
): Decision {
  const present = lapseIfOverdue(found, answer.at);
  const asking = askingOf(present.basket);
  if (asking === undefined || asking.answer !== undefined) return present;
  const answered = { ...present, basket: { ...present.basket, asking: { ...asking, answer } } };
  if (answer.decision === 'decline') return endAsking(answered, { outcome: 'declined' }, answer.at);
  return { ...answered, basket: beginAsking(answered.basket, { now: answer.at, leaseMs }) };
}

/** Somebody looks at a basket that is due, which counts as lost after `leaseMs`, or when its time is over. */
export function beginAsking(basket: Basket, { now, leaseMs }: { now: Date; leaseMs: number }): Basket {
  const asking = askingOf(basket);
  if (asking === undefined) return basket;
  const lostAt = new Date(now.getTime() + leaseMs);
  // Of one whose time is over already it is the lapse that counts as lost.
  const dueAt = isOverdue(basket, now) ? lostAt : earlier(lostAt, asking.expiresAt);
  return { ...basket, asking: { ...asking, attempts: asking.attempts + 1, dueAt } };
}

/**
 * The bank has not decided, or gave no answer: it is asked again at `dueAt`, unless the time is over before.
 * @param approvalUrl where the bank says that its user can answer
 */
export function postponeAsking(found: Decision, dueAt: Date, approvalUrl?: string): Decision {
  const { basket } = found;
  const asking = askingOf(basket);
  if (asking === undefined) return found;
  const at = approvalUrl === undefined ? {} : { approvalUrl };
  return {
    ...found,
    basket: { ...basket, asking: { ...asking, ...at, dueAt: earlier(dueAt, asking.expiresAt) } },
  };
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** Writes the outcome, once and for all: what has ended stays as it is, and what is overdue is EXPIRED. */
export function endAsking(found: Decision, end: AskingOutcome, now: Date): Decision {
  const present = lapseIfOverdue(found, now);
  const { basket } = present;
  const asking = askingOf(basket);
  if (asking === undefined) return present;
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
    basket: { ...basket, status: 'REJECTED', asking: { ...asking, error } },
    draft: (draft) => refuse(draft, { rejection, now }),
    order: (order) => ({ ...order, status: 'REJECTED', updatedAt: now }),
  });
}

/** What waits for this basket's user ends with it; other drafts are not its business any more. */
function ended(
  { basket: { requestId }, drafts, standingOrder }: Decision,
  end: {
    basket: Basket;
    draft: (draft: Draft) => Draft;
    order: (order: StandingOrder) => StandingOrder;
  },
): Decision {
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

/** Where the user's browser goes back to: the redirectUrl as it was given, with `error` where nothing was approved (§4.4). */
export function returnUrl({ redirectUrl, status, asking }: Basket): string {
  const error = status === 'EXPIRED' ? 'expired' : status === 'REJECTED' ? asking?.error : undefined;
  if (error === undefined) return redirectUrl;
  return `${redirectUrl}${redirectUrl.includes('?') ? '&' : '?'}error=${error}`;
}

/** The same for a link that was never given out, one that is no more, and another user's (§4.4). */
export function unknownApproval(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-approval'));
}
