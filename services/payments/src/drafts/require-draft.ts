import { ApiError } from '@kontoport/errors';
import type { DraftKey, PaymentStore } from '../store/payment-store.ts';
import { TEXTS } from '../texts.ts';
import type { Draft } from './draft.model.ts';

/** The client's draft of a payment type (§4.4). @throws ApiError RESOURCE_UNKNOWN */
export async function requireDraft(
  store: PaymentStore,
  { paymentType, ...key }: DraftKey & { paymentType: string },
): Promise<Draft> {
  const draft = await store.findDraft(key);
  if (draft?.paymentType !== paymentType) throw unknownDraft();
  return draft;
}

/** The same for a draft that does not exist, for another client's and for one of another payment type (§4). */
export function unknownDraft(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-draft'));
}
