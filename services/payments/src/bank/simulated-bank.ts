import { ApiError, toApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import { type LedgerServiceClient, PostRequest } from '@kontoport/proto/accounts/v1';
import { payeeOf } from '../domain/approval-summary.model.ts';
import { messageOf, paymentOf } from '../domain/draft.model.ts';
import type { Bank, PaymentOrder } from '../domain/ports/bank.ts';
import { TEXTS } from '../domain/texts.ts';
import { triggerOf } from './simulated-triggers.ts';

const LEDGER_DEADLINE_MS = 5_000;

const DAY_MS = 24 * 60 * 60_000;

/** The sandbox's bank: it books at once, in the ledger of account-information, unless the receiver is a trigger (§Sandbox). */
export function simulatedBank(ledger: LedgerServiceClient): Bank {
  const deadline = { deadlineMs: LEDGER_DEADLINE_MS };
  return {
    async submit(order) {
      const refusal = triggerOf(payeeOf(order.posting), 'booking')?.errorCode;
      if (refusal !== undefined) throw new ApiError(refusal, TEXTS('rejected'));
      try {
        await call(ledger, ledger.post, postRequest(order), deadline);
        return 'booked';
      } catch (error) {
        // The ledger returns this code only for a voided posting.
        if (toApiError(error).code === 'STATUS_INVALID') return 'cancelled';
        throw error;
      }
    },
    async cancel({ draft }) {
      const { paymentId: transactionId } = paymentOf(draft);
      const accountId = draft.fields.senderAccountId ?? '';
      try {
        await call(ledger, ledger.void, { transactionId, accountId, reference: '' }, deadline);
        return 'cancelled';
      } catch (error) {
        const refusal = toApiError(error);
        if (refusal.code === 'STATUS_INVALID') return 'booked';
        if (refusal.code === 'UNAVAILABLE') throw refusal;
        throw new ApiError('UNAVAILABLE', TEXTS('bank-unclear'), { cause: error });
      }
    },
    holdMs: (posting) => (triggerOf(payeeOf(posting), 'booking')?.days ?? 0) * DAY_MS,
  };
}

/** The posting of a draft that is PENDING; a function of the draft alone, so that repeats are equal. */
function postRequest({ draft, posting }: PaymentOrder): PostRequest {
  const { fields, senderAccount } = draft;
  const { type, title, amount, creditor, message = messageOf(draft) } = posting;
  const { recipientBban = '', additionalInformation = {} } = posting;
  const { minorUnits, currency } = amount;
  const { paymentId, approvedAt } = paymentOf(draft);
  return PostRequest.fromPartial({
    transactionId: paymentId,
    accountId: fields.senderAccountId ?? '',
    amount: { value: formatMoney({ minorUnits: -minorUnits, currency }), currency },
    transactionTime: approvedAt,
    type,
    title,
    message,
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
