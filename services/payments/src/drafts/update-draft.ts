import { ApiError } from '@kontoport/errors';
import type { FindAccount } from '../accounts/account-access.ts';
import type { PaymentFields, PaymentRules } from '../payment-types/payment-type.model.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { TEXTS } from '../texts.ts';
import { type Draft, updateFields } from './draft.model.ts';
import { nextStatus } from './draft-status.model.ts';

/**
 * Fills in fields of a draft (§3.2, §4.4); a sender account is looked up with the bank when it is named.
 * @throws ApiError RESOURCE_UNKNOWN, STATUS_INVALID (409) for anything but CREATED, UNAVAILABLE when the account cannot
 * be looked up: the draft is then unchanged
 */
export async function updateDraft(
  deps: { store: PaymentStore; findAccount: FindAccount },
  update: { draft: Draft; rules: PaymentRules; fields: PaymentFields; now: Date; signal: AbortSignal },
): Promise<Draft> {
  const { draft, rules, fields, now, signal } = update;
  const { clientId, draftId } = draft;
  // Refused here already, so that the bank is not asked for nothing; the store decides.
  nextStatus(draft.status, 'update');
  const { senderAccountId: accountId } = fields;
  const senderAccount =
    accountId === undefined ? undefined : await deps.findAccount({ clientId, accountId, signal });
  const change = (present: Draft): Draft => updateFields(present, { rules, fields, senderAccount, now });
  return requireDraft(await deps.store.updateDraft({ clientId, draftId, now, change }));
}

/** @throws ApiError RESOURCE_UNKNOWN when there is none */
export function requireDraft(draft: Draft | undefined): Draft {
  if (draft === undefined) throw unknownDraft();
  return draft;
}

/** The same for a draft that does not exist, for another client's and for one of another payment type (§4). */
export function unknownDraft(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('no-draft'));
}
