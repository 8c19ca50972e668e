import { nextStatus } from '../domain/draft-status.model.ts';
import { type Draft, unknownDraft, updateFields } from '../domain/draft.model.ts';
import type { FindAccount, PaymentFields, PaymentRules } from '../domain/payment-types/payment-type.model.ts';
import type { DraftStore } from '../domain/ports/draft-store.ts';

/**
 * Fills in fields of a draft (§3.2, §4.4); a sender account is looked up with the bank when it is named.
 * @throws ApiError RESOURCE_UNKNOWN, STATUS_INVALID (409) for anything but CREATED, UNAVAILABLE when the account cannot
 * be looked up: the draft is then unchanged
 */
export async function updateDraft(
  deps: { store: DraftStore; findAccount: FindAccount },
  update: { draft: Draft; rules: PaymentRules; fields: PaymentFields; now: Date; signal: AbortSignal },
): Promise<Draft> {
  const { draft, rules, fields, now, signal } = update;
  const { clientId, consentId, draftId } = draft;
  // An early check that saves the call to the bank; the store decides.
  nextStatus(draft.status, 'update');
  const { senderAccountId: accountId } = fields;
  const senderAccount =
    accountId === undefined ? undefined : await deps.findAccount({ clientId, consentId, accountId, signal });
  const change = (present: Draft): Draft => updateFields(present, { rules, fields, senderAccount, now });
  const updated = await deps.store.updateDraft({ clientId, draftId, now, change });
  if (updated === undefined) throw unknownDraft();
  return updated;
}
