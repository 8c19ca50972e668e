import { ApiError } from '@kontoport/errors';
import { type Draft, requireDeletable } from '../domain/draft.model.ts';
import { INITIATION_TEXTS } from '../domain/initiations/texts.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { withdrawPayment } from '../drafts/withdraw-payment.ts';
import { withdrawApprovalRequest } from '../store/with-lazy-expiry.ts';

/** What deleting a payment works with. */
export interface DeleteDeps {
  store: PaymentStore;
  bank: Bank;
}

/**
 * Deletes a single payment that is not booked: it never will be then (§4.5). A user who is asked about it is asked no more; one
 * that was refused, or lapsed, is forgotten.
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
  // The user may have said yes meanwhile.
  const present = awaits ? await store.findDraft({ clientId, draftId, now }) : payment;
  if (present === undefined) return;
  if (present.status === 'COMPLETED')
    throw new ApiError('STATUS_INVALID', INITIATION_TEXTS('payment-booked'));
  if (present.status === 'PENDING') return withdrawPayment({ store, bank }, present);
  await store.deleteDraft({ clientId, draftId, now, check: requireDeletable });
}
