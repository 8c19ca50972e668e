import type { Basket, Decision } from '../baskets/basket.model.ts';
import { type Draft, paymentOf } from '../drafts/draft.model.ts';
import type { StandingOrder } from '../standing-orders/standing-order.model.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { isOverdue, lapseIfOverdue, lapseNow } from './asking.model.ts';

/** The basket as it stands: whoever reads one whose time is over finds it EXPIRED, and its drafts with it (§3.2). */
export async function standingBasket(store: PaymentStore, basket: Basket, now: Date): Promise<Basket> {
  if (!isOverdue(basket, now)) return basket;
  const { approvalId } = basket;
  const decide = (found: Decision): Decision => lapseIfOverdue(found, now);
  return (await store.decideBasket({ approvalId, now, decide }))?.basket ?? basket;
}

/** The same of a draft. */
export async function standingDraft(store: PaymentStore, draft: Draft, now: Date): Promise<Draft> {
  if (draft.status !== 'AWAITING_APPROVAL' || paymentOf(draft).dueAt > now) return draft;
  const { clientId, draftId } = draft;
  const { requestId } = paymentOf(draft);
  const basket = await store.findBasket({ clientId, requestId, now });
  if (basket !== undefined) await standingBasket(store, basket, now);
  return (await store.findDraft({ clientId, draftId, now })) ?? draft;
}

/** The same of a standing order. */
export async function presentOrder(
  store: PaymentStore,
  order: StandingOrder,
  now: Date,
): Promise<StandingOrder> {
  if (order.status !== 'AWAITING_APPROVAL') return order;
  const { clientId, paymentId } = order;
  const basket = await store.findBasket({ clientId, requestId: paymentId, now });
  if (basket !== undefined) await standingBasket(store, basket, now);
  return (await store.findStandingOrder({ clientId, paymentId, now })) ?? order;
}

/** Asks the user no more, whom the client wants no answer of (§3.3). */
export async function endAskingFor(
  store: PaymentStore,
  { clientId, requestId, now }: { clientId: string; requestId: string; now: Date },
): Promise<void> {
  const basket = await store.findBasket({ clientId, requestId, now });
  if (basket === undefined) return;
  const { approvalId } = basket;
  await store.decideBasket({ approvalId, now, decide: (found) => lapseNow(found, now) });
}

/** A basket with all that stands or falls with it, to be read. */
export async function withPayments(store: PaymentStore, basket: Basket, now: Date): Promise<Decision> {
  const { clientId, draftIds, requestId } = basket;
  const [drafts, standingOrder] = await Promise.all([
    store.findDrafts({ clientId, draftIds, now }),
    // The basket of a standing order has no drafts.
    draftIds.length > 0 ? undefined : store.findStandingOrder({ clientId, paymentId: requestId, now }),
  ]);
  return { basket, drafts, ...(standingOrder && { standingOrder }) };
}
