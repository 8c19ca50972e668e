import { ApiError } from '@kontoport/errors';
import { type Draft, paymentOf, unknownDraft } from '../domain/draft.model.ts';
import { endPosting, requireCancellable } from '../domain/payment.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { DraftStore } from '../domain/ports/draft-store.ts';
import { TEXTS } from '../domain/texts.ts';

/**
 * Cancels the payment of a draft (§3.2, ADR-0024): the bank decides under the account's lock, whatever attempt to book is under
 * way, and what it said is written down. Repeated it does the same.
 * @throws ApiError RESOURCE_UNKNOWN where there is no payment; STATUS_INVALID (409) where it is booked or rejected: the draft
 * says so then; UNAVAILABLE while the bank gives no answer: the draft is unchanged
 */
export async function withdrawPayment(
  { store, bank }: { store: Pick<DraftStore, 'updateDraft'>; bank: Bank },
  draft: Draft,
): Promise<void> {
  requireCancellable(draft);
  const { clientId, draftId } = draft;
  const { paymentId } = paymentOf(draft);
  const outcome = (await bank.cancel({ draft })) === 'booked' ? 'settle' : 'cancel';
  const now = new Date();
  const change = (present: Draft): Draft => endPosting(present, { outcome, paymentId, now });
  const present = await store.updateDraft({ clientId, draftId, now, change, seen: draft });
  if (present === undefined) throw unknownDraft();
  // Settlement may have written first: the same of what is booked or cancelled, or that the bank refused the payment.
  if (present.payment?.paymentId === paymentId)
    throw new ApiError('STATUS_INVALID', TEXTS('draft-status', { status: present.status }));
}
