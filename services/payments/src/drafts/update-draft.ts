import { ApiError } from '@kontoport/errors';
import type { FindAccount } from '../accounts/account-access.ts';
import type { DraftKey, PaymentStore } from '../store/payment-store.ts';
import type { TransferFields } from '../payment-types/domestic-credit-transfer.model.ts';
import { type Draft, updateFields } from './draft.model.ts';
import { nextStatus } from './draft-status.model.ts';

/**
 * Fills in fields of a draft (specification §3.2); a sender account is looked up with the bank when it is named.
 * @throws ApiError RESOURCE_UNKNOWN, STATUS_INVALID (409) for anything but CREATED, UNAVAILABLE when the account cannot
 * be looked up: the draft is then unchanged
 */
export async function updateDraft(
  parts: { store: PaymentStore; findAccount: FindAccount },
  call: { key: DraftKey; fields: TransferFields; signal: AbortSignal },
): Promise<Draft> {
  const { key, fields, signal } = call;
  const draft = requireDraft(await parts.store.findDraft(key));
  // Refused here already, so that the bank is not asked for nothing; the store decides.
  nextStatus(draft.status, 'update');
  const { senderAccountId } = fields;
  const senderAccount =
    senderAccountId === undefined
      ? undefined
      : await parts.findAccount({ clientId: key.clientId, accountId: senderAccountId, signal });
  const change = (present: Draft): Draft => updateFields(present, { fields, senderAccount, now: key.now });
  return requireDraft(await parts.store.updateDraft({ ...key, change }));
}

/** @throws ApiError RESOURCE_UNKNOWN when there is none */
export function requireDraft(draft: Draft | undefined): Draft {
  if (draft === undefined) throw new ApiError('RESOURCE_UNKNOWN', 'There is no such draft.');
  return draft;
}
