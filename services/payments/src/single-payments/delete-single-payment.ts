import { ApiError } from '@kontoport/errors';
import { type Draft, requireDeletable } from '../domain/draft.model.ts';
import { INITIATION_TEXTS } from '../domain/initiations/texts.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { withdrawPayment } from '../drafts/withdraw-payment.ts';
import { withdrawApprovalRequest } from '../store/with-lazy-expiry.ts';

/** Dependencies of the deletion of a payment. */
export interface DeleteDeps {
  store: PaymentStore;
  bank: Bank;
}

/**
 * Deletes a single payment that is not booked, so that it never is (§4.5). The approval of its user ends; a rejected or expired
 * payment is deleted from the store.
 * @throws ApiError STATUS_INVALID (409) where it is booked; UNAVAILABLE while the bank gives no answer: nothing has changed
 */
export async function deleteSinglePayment(
  { store, bank }: DeleteDeps,
  payment: Draft,
  now: Date,
): Promise<void> {
  const { clientId, draftId } = payment;
  const awaits = payment.status === 'AWAITING_APPROVAL';
  if (awaits) await withdrawApprovalRequest(store, { clientId, requestId: draftId, now });
  // The user may have approved it since.
  const present = awaits ? await store.findDraft({ clientId, draftId, now }) : payment;
  if (present === undefined) return;
  if (present.status === 'COMPLETED')
    throw new ApiError('STATUS_INVALID', INITIATION_TEXTS('payment-booked'));
  if (present.status === 'PENDING') return withdrawPayment({ store, bank }, present);
  await store.deleteDraft({ clientId, draftId, now, check: requireDeletable });
}
