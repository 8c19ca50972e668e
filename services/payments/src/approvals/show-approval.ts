import { openApprovalRequest, unknownApproval } from '../domain/approval-request.model.ts';
import type { ShownApproval } from '../domain/approval-summary.model.ts';
import type { PaymentTypes } from '../domain/payment-types/payment-type.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { loadBasketState } from '../store/with-lazy-expiry.ts';
import { summarize } from './summarize.ts';

/**
 * Returns the approval behind a link.
 * @param search.userId the user of the page; undefined before login: then without its content
 * @throws ApiError RESOURCE_UNKNOWN for an unknown link, and for another user than the payer
 */
export async function showApproval(
  { store, paymentTypes }: { store: PaymentStore; paymentTypes: PaymentTypes },
  { approvalId, userId, now }: { approvalId: string; userId: string | undefined; now: Date },
): Promise<ShownApproval> {
  const basket = await store.findBasketByApprovalId({ approvalId, now });
  if (basket === undefined) throw unknownApproval();
  if (userId !== undefined && basket.approvalRequest?.userId !== userId) throw unknownApproval();
  if (userId === undefined || openApprovalRequest(basket) === undefined) return { basket };
  return { basket, content: summarize(paymentTypes, await loadBasketState(store, basket, now)) };
}
