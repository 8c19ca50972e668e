import { formatMoney, parseMoney } from '@kontoport/money';
import { call } from '@kontoport/grpc';
import { type LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { bbanDigits } from '../account-numbers/bban.model.ts';
import { type Draft, paymentOf } from '../drafts/draft.model.ts';

const POST_DEADLINE_MS = 5_000;

/**
 * Books the payment of a draft on the sender account, if the funds suffice. Repeated with the same draft it answers
 * the same and moves no money twice.
 * @throws ApiError of the ledger's answer; UNAVAILABLE when there was none: the money may have moved
 */
export type PostPayment = (draft: Draft) => Promise<void>;

/** Posts through the Ledger of account-information. */
export function ledger(client: LedgerServiceClient): PostPayment {
  return async (draft) => {
    await call(client, client.post, postRequest(draft), { deadlineMs: POST_DEADLINE_MS });
  };
}

/** The posting of a draft that is PENDING; a function of the draft alone, so that repeats are equal. */
function postRequest(draft: Draft): PostRequest {
  const { fields, senderAccount, name } = draft;
  const {
    receiverAccountBban = '',
    receiverName = '',
    amount = '',
    currency = '',
    senderAccountId = '',
  } = fields;
  const { paymentId, approvedAt } = paymentOf(draft);
  const recipientBban = bbanDigits(receiverAccountBban);
  const { minorUnits } = parseMoney(amount, currency);
  return PostRequest.fromPartial({
    transactionId: paymentId,
    accountId: senderAccountId,
    amount: { value: formatMoney({ minorUnits: -minorUnits, currency }), currency },
    transactionTime: approvedAt,
    type: 'domesticCreditTransfer',
    title: receiverName,
    message: name,
    recipientBban,
    debtor: {
      name: senderAccount?.ownerName ?? '',
      accountScheme: 'BBAN',
      accountIdentification: senderAccount?.bban ?? '',
    },
    creditor: { name: receiverName, accountScheme: 'BBAN', accountIdentification: recipientBban },
    requireFunds: true,
  });
}
