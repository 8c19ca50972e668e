import { type Audited, auditEvent, type OutboxEvent } from '@kontoport/events';
import type { BasketState } from './basket-state.model.ts';
import type { Draft } from './draft.model.ts';
import type { StandingOrder } from './standing-order.model.ts';
import { TEXTS } from './texts.ts';
import { transferEvents } from './transfer-events.ts';

type Done = Pick<Audited, 'action' | 'actor'>;

/** Events of a change of a draft, for its client and the audit log; the store writes them with the draft. */
export function draftEvents(before: Draft | undefined, after: Draft): OutboxEvent[] {
  const done = paymentAction(before, after);
  const events = transferEvents(before, after);
  // Only the previous draft has the id of a cancelled payment.
  const payment = after.payment ?? before?.payment;
  if (done === undefined || payment === undefined) return events;
  const { kind, draftId, senderAccount, clientId, updatedAt } = after;
  const { paymentId, requestId } = payment;
  const record = auditEvent({
    ...done,
    service: 'payments',
    clientId,
    userId: (senderAccount ?? before?.senderAccount)?.userId ?? '',
    objectId: paymentId,
    relatedIds: [...new Set([...(kind === 'draft' ? [draftId] : []), requestId])].filter(
      (id) => id !== paymentId,
    ),
    now: updatedAt,
  });
  return [...events, record];
}

/** Events of a change of a standing order. @param refusal why its basket was refused, if it was */
export function standingOrderEvents(
  before: StandingOrder | undefined,
  after: StandingOrder,
  refusal?: string,
): OutboxEvent[] {
  const done = standingOrderAction(before, after, refusal);
  if (done === undefined) return [];
  const { clientId, senderAccount, paymentId, updatedAt } = after;
  const { userId } = senderAccount;
  const common = { service: 'payments', clientId, userId, objectId: paymentId, relatedIds: [] } as const;
  return [auditEvent({ ...done, ...common, now: updatedAt })];
}

/** Events of all changes of a decision about a basket. @param found the stored state before the decision */
export function basketEvents(
  found: { drafts: ReadonlyMap<string, Draft>; standingOrder?: StandingOrder | undefined },
  { basket, drafts, standingOrder }: BasketState,
): OutboxEvent[] {
  const ofDrafts = drafts.flatMap((draft) => {
    const before = found.drafts.get(draft.draftId);
    return draft === before ? [] : draftEvents(before, draft);
  });
  if (standingOrder === undefined || standingOrder === found.standingOrder) return ofDrafts;
  return [
    ...ofDrafts,
    ...standingOrderEvents(found.standingOrder, standingOrder, basket.approvalRequest?.error),
  ];
}

/** A run is approved with its standing order. Expiry, booking and rejection by the bank have no actor. */
function paymentAction(before: Draft | undefined, after: Draft): Done | undefined {
  const wasAsked = before?.status === 'AWAITING_APPROVAL';
  if (before?.status === 'PENDING')
    return after.status === 'CREATED' ? { action: 'PAYMENT_CANCELLED', actor: 'CLIENT' } : undefined;
  if (after.status === 'PENDING' && after.kind !== 'run')
    return { action: 'PAYMENT_APPROVED', actor: wasAsked ? 'USER' : 'SERVICE' };
  return wasAsked && after.rejection?.rule === TEXTS('rejected-by-user').rule
    ? { action: 'PAYMENT_DECLINED', actor: 'USER' }
    : undefined;
}

function standingOrderAction(
  before: StandingOrder | undefined,
  after: StandingOrder,
  refusal: string | undefined,
): Done | undefined {
  if (after.deletedAt !== undefined)
    return before?.deletedAt === undefined
      ? { action: 'STANDING_ORDER_DELETED', actor: 'CLIENT' }
      : undefined;
  const wasAsked = before?.status === 'AWAITING_APPROVAL';
  if (before !== undefined && !wasAsked) return undefined;
  if (after.status === 'ACTIVE' || after.status === 'ENDED')
    return { action: 'STANDING_ORDER_APPROVED', actor: wasAsked ? 'USER' : 'SERVICE' };
  return wasAsked && after.status === 'REJECTED' && refusal === 'access_denied'
    ? { action: 'STANDING_ORDER_DECLINED', actor: 'USER' }
    : undefined;
}
