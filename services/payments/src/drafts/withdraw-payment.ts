import { ApiError } from '@kontoport/errors';
import { type Draft, paymentOf, unknownDraft } from '../domain/draft.model.ts';
import { endPosting, requireCancellable } from '../domain/payment.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { DraftStore } from '../domain/ports/draft-store.ts';
import { TEXTS } from '../domain/texts.ts';

/**
 * Cancels the payment of a draft (§3.2, ADR-0024). The bank decides under the account's lock, also during an attempt to book, and
 * the draft gets the result. Idempotent.
 * @throws ApiError RESOURCE_UNKNOWN without a payment; STATUS_INVALID (409) if it is booked or rejected, which the draft then shows;
 * UNAVAILABLE while the bank gives no answer: the draft is unchanged
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
  const present = await store.updateDraft({ clientId, draftId, now, change });
  if (present === undefined) throw unknownDraft();
  // Settlement may have stored the result first, or the bank may have refused the payment.
  if (present.payment?.paymentId === paymentId)
    throw new ApiError('STATUS_INVALID', TEXTS('draft-status', { status: present.status }));
}
