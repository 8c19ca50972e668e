import type { Basket, BasketStatus } from '../domain/basket.model.ts';
import type { Draft } from '../domain/draft.model.ts';
import type { StandingOrder } from '../domain/standing-order.model.ts';

/** Poll status of a payment (§4.5). */
export interface PaymentPollStatus {
  /** Status of its approval. */
  readonly status: BasketStatus;
  /** The one of its initiation; empty after a deletion. */
  readonly redirectUrl: string;
}

/** Status of a deleted or cancelled payment (§3.3). */
const DELETED: PaymentPollStatus = { status: 'AWAITING_APPROVAL', redirectUrl: '' };

/**
 * Returns the poll status of the payment with this id.
 * @param draft the draft of the payment, while it is stored
 */
export function pollStatusOfPayment(
  paymentId: string,
  { draft, redirectUrl }: { draft: Draft | undefined; redirectUrl: string },
): PaymentPollStatus {
  if (draft?.payment?.paymentId !== paymentId) return DELETED;
  return { status: approvalOf(draft), redirectUrl };
}

/** A payment that the bank rejected was approved before. */
function approvalOf({ status, payment }: Draft): BasketStatus {
  if (status === 'AWAITING_APPROVAL' || status === 'EXPIRED') return status;
  return status === 'REJECTED' && payment?.attempts === 0 ? 'REJECTED' : 'APPROVED';
}

/** Returns the poll status of a standing order. */
export function pollStatusOfOrder({ status, redirectUrl, deletedAt }: StandingOrder): PaymentPollStatus {
  if (deletedAt !== undefined) return DELETED;
  return { status: status === 'ACTIVE' || status === 'ENDED' ? 'APPROVED' : status, redirectUrl };
}

/** The draft of a basket that became the payment. */
export function draftIdOf({ draftIds, paymentIds }: Basket, paymentId: string): string | undefined {
  return draftIds[paymentIds.indexOf(paymentId)];
}
