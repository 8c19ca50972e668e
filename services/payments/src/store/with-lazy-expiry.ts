import { expireIfOverdue, expireNow, isOverdue } from '../domain/approval-request.model.ts';
import type { BasketState } from '../domain/basket-state.model.ts';
import type { Basket } from '../domain/basket.model.ts';
import { type Draft, paymentOf } from '../domain/draft.model.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import type { StandingOrder } from '../domain/standing-order.model.ts';

/** Writes the expiry of an overdue basket and its drafts, and returns the basket (§3.2). */
export async function expireOverdueBasket(store: PaymentStore, basket: Basket, now: Date): Promise<Basket> {
  if (!isOverdue(basket, now)) return basket;
  const { approvalId } = basket;
  const decide = (found: BasketState): BasketState => expireIfOverdue(found, now);
  return (await store.updateBasket({ approvalId, now, decide }))?.basket ?? basket;
}

/** The same for a draft. */
async function expireOverdueDraft(store: PaymentStore, draft: Draft, now: Date): Promise<Draft> {
  if (draft.status !== 'AWAITING_APPROVAL' || paymentOf(draft).dueAt > now) return draft;
  const { clientId, draftId } = draft;
  const { requestId } = paymentOf(draft);
  const basket = await store.findBasket({ clientId, requestId, now });
  if (basket !== undefined) await expireOverdueBasket(store, basket, now);
  return (await store.findDraft({ clientId, draftId, now })) ?? draft;
}

/** The same for a standing order. */
async function expireOverdueOrder(
  store: PaymentStore,
  order: StandingOrder,
  now: Date,
): Promise<StandingOrder> {
  if (order.status !== 'AWAITING_APPROVAL') return order;
  const { clientId, paymentId } = order;
  const basket = await store.findBasket({ clientId, requestId: paymentId, now });
  if (basket !== undefined) await expireOverdueBasket(store, basket, now);
  return (await store.findStandingOrder({ clientId, paymentId, now })) ?? order;
}

/**
 * Wraps a store so that reads find unanswered approvals EXPIRED in time, with their drafts and standing orders (§3.2). Only the
 * list of standing orders may still contain an overdue one.
 */
export function withLazyExpiry(store: PaymentStore): PaymentStore {
  const basketOf = async <Key extends { now: Date }>(
    key: Key,
    find: (key: Key) => Promise<Basket | undefined>,
  ): Promise<Basket | undefined> => {
    const basket = await find(key);
    return basket && expireOverdueBasket(store, basket, key.now);
  };
  return {
    createDraft: (draft) => store.createDraft(draft),
    async findDraft(key) {
      const draft = await store.findDraft(key);
      return draft && expireOverdueDraft(store, draft, key.now);
    },
    findDrafts: (keys) => store.findDrafts(keys),
    updateDraft: (change) => store.updateDraft(change),
    deleteDraft: (judgement) => store.deleteDraft(judgement),
    async listSinglePayments(listing) {
      const payments: Draft[] = [];
      // One at a time: each overdue payment is a write.
      for (const payment of await store.listSinglePayments(listing))
        payments.push(await expireOverdueDraft(store, payment, listing.now));
      return payments;
    },
    createBasket: (approval) => store.createBasket(approval),
    findBasket: (key) => basketOf(key, (asked) => store.findBasket(asked)),
    async findBasketAndDrafts(key) {
      const found = await store.findBasketAndDrafts(key);
      const basket = found.basket && (await expireOverdueBasket(store, found.basket, key.now));
      return basket === found.basket ? found : store.findBasketAndDrafts(key);
    },
    findBasketByInitiationKey: (key) => basketOf(key, (asked) => store.findBasketByInitiationKey(asked)),
    findBasketByPaymentId: (key) => basketOf(key, (asked) => store.findBasketByPaymentId(asked)),
    findBasketByApprovalId: (key) => basketOf(key, (asked) => store.findBasketByApprovalId(asked)),
    updateBasket: (decision) => store.updateBasket(decision),
    async findStandingOrder(key) {
      const order = await store.findStandingOrder(key);
      return order && expireOverdueOrder(store, order, key.now);
    },
    listStandingOrders: (owner) => store.listStandingOrders(owner),
    updateStandingOrder: (change) => store.updateStandingOrder(change),
    runStandingOrders: (claim) => store.runStandingOrders(claim),
    claimBaskets: (claim) => store.claimBaskets(claim),
    claimDue: (claim) => store.claimDue(claim),
    dropClient: (clientId) => store.dropClient(clientId),
  };
}

/** Expires the approval request of a payment that its client deletes (§3.3). */
export async function withdrawApprovalRequest(
  store: PaymentStore,
  { clientId, requestId, now }: { clientId: string; requestId: string; now: Date },
): Promise<void> {
  const basket = await store.findBasket({ clientId, requestId, now });
  if (basket === undefined) return;
  const { approvalId } = basket;
  await store.updateBasket({ approvalId, now, decide: (found) => expireNow(found, now) });
}

/** Reads a basket with its drafts and its standing order. */
export async function loadBasketState(store: PaymentStore, basket: Basket, now: Date): Promise<BasketState> {
  const { clientId, draftIds, requestId } = basket;
  const [drafts, standingOrder] = await Promise.all([
    store.findDrafts({ clientId, draftIds, now }),
    // The basket of a standing order has no drafts.
    draftIds.length > 0 ? undefined : store.findStandingOrder({ clientId, paymentId: requestId, now }),
  ]);
  return { basket, drafts, ...(standingOrder && { standingOrder }) };
}
