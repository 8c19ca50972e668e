import { call } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import { type LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { type Draft, paymentOf } from '../drafts/draft.model.ts';
import type { Posting } from '../payment-types/payment-type.model.ts';

const POST_DEADLINE_MS = 5_000;

/**
 * Books the payment of a draft on the sender account, if the funds suffice. Repeated with the same draft it answers
 * the same and moves no money twice (§3.2).
 * @param order.posting what the draft's payment type makes of its fields
 * @throws ApiError of the ledger's answer; UNAVAILABLE when there was none: the money may have moved
 */
export type PostPayment = (order: { draft: Draft; posting: Posting }) => Promise<void>;

/** Posts through the Ledger of account-information. */
export function ledger(client: LedgerServiceClient): PostPayment {
  return async (order) => {
    await call(client, client.post, postRequest(order), { deadlineMs: POST_DEADLINE_MS });
  };
}

/** The posting of a draft that is PENDING; a function of the draft alone, so that repeats are equal. */
function postRequest({ draft, posting }: { draft: Draft; posting: Posting }): PostRequest {
  const { fields, senderAccount, name } = draft;
  const { type, title, amount, creditor, recipientBban = '', additionalInformation = {} } = posting;
  const { minorUnits, currency } = amount;
  const { paymentId, approvedAt } = paymentOf(draft);
  return PostRequest.fromPartial({
    transactionId: paymentId,
    accountId: fields.senderAccountId ?? '',
    amount: { value: formatMoney({ minorUnits: -minorUnits, currency }), currency },
    transactionTime: approvedAt,
    type,
    title,
    message: name,
    recipientBban,
    debtor: party(senderAccount?.ownerName ?? '', senderAccount?.bban ?? ''),
    creditor: party(creditor.name, creditor.bban),
    additionalInformation,
    requireFunds: true,
  });
}

/** A party of §2.5; without an account number it has no account at all. */
function party(name: string, bban?: string) {
  return bban === undefined ? { name } : { name, accountScheme: 'BBAN', accountIdentification: bban };
}
