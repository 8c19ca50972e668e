import type { PaymentKey, PaymentStore } from '../domain/ports/payment-store.ts';
import {
  draftIdOf,
  type PaymentPollStatus,
  pollStatusOfOrder,
  pollStatusOfPayment,
} from './payment-poll-status.model.ts';

/**
 * Finds the poll status of a single payment, a run, a standing order or the payment of a draft (§4.5). Undefined when the owner
 * has none with this id.
 */
export async function findPollStatus(
  store: PaymentStore,
  key: PaymentKey,
): Promise<PaymentPollStatus | undefined> {
  const { paymentId, clientId, now } = key;
  // Payments without a staged draft use their paymentId as draftId.
  const draft = await store.findDraft({ ...key, draftId: paymentId });
  if (draft?.initiation) {
    const { redirectUrl } = draft.initiation;
    return pollStatusOfPayment(paymentId, { draft, redirectUrl });
  }
  const order = await store.findStandingOrder(key);
  if (order) return pollStatusOfOrder(order);
  const basket = await store.findBasketByPaymentId(key);
  const draftId = basket && draftIdOf(basket, paymentId);
  if (draftId === undefined) return undefined;
  const { redirectUrl } = basket!;
  return pollStatusOfPayment(paymentId, {
    draft: await store.findDraft({ clientId, draftId, now }),
    redirectUrl,
  });
}
