import { ApiError, type ErrorCode } from '@kontoport/errors';
import { askBank } from '@kontoport/grpc';
import { formatMoney } from '@kontoport/money';
import {
  type Creditor,
  type PaymentServiceClient,
  PaymentStatus,
  RejectionReason,
  type SubmitPaymentRequest,
} from '@kontoport/proto/bank/v1';
import { paymentOf } from '../domain/draft.model.ts';
import type { Posting } from '../domain/payment-types/payment-type.model.ts';
import type { Bank, PaymentOrder } from '../domain/ports/bank.ts';
import { TEXTS } from '../domain/texts.ts';

/** The bank's own system, which serves PaymentService (kontoport.bank.v1). */
export function bankConnector(payments: PaymentServiceClient): Bank {
  return {
    async submit(order) {
      const { status, reason } = await askBank(payments, payments.submitPayment, submission(order));
      if (status === PaymentStatus.PAYMENT_STATUS_BOOKED) return 'booked';
      if (status === PaymentStatus.PAYMENT_STATUS_PENDING) return 'pending';
      if (status === PaymentStatus.PAYMENT_STATUS_REJECTED)
        throw new ApiError(REFUSALS[reason] ?? 'STATUS_INVALID', TEXTS('rejected'));
      if (status === PaymentStatus.PAYMENT_STATUS_CANCELLED) return 'cancelled';
      throw unclear();
    },
    async cancel({ draft }) {
      const { paymentId } = paymentOf(draft);
      const order = { paymentId, accountId: draft.fields.senderAccountId ?? '' };
      const { status } = await askBank(payments, payments.cancelPayment, order);
      if (status === PaymentStatus.PAYMENT_STATUS_CANCELLED) return 'cancelled';
      if (status === PaymentStatus.PAYMENT_STATUS_BOOKED) return 'booked';
      throw unclear();
    },
  };
}

/** The messages for TPPs; all other codes have one common message. */
const REFUSALS: Partial<Record<RejectionReason, ErrorCode>> = {
  [RejectionReason.REJECTION_REASON_FUNDS_INSUFFICIENT]: 'FUNDS_INSUFFICIENT',
  [RejectionReason.REJECTION_REASON_ACCOUNT_UNKNOWN]: 'RESOURCE_UNKNOWN',
};

/** Error for a status that this answer does not have, or not yet: nothing may be concluded from it. */
const unclear = (): ApiError => new ApiError('UNAVAILABLE', TEXTS('bank-unclear'));

/** A function of the draft alone, so that repeats are equal. */
function submission({ draft, posting }: PaymentOrder): SubmitPaymentRequest {
  const { fields, name, paymentType, kind, initiation } = draft;
  const { paymentId, requestId, approvedAt } = paymentOf(draft);
  const { amount, additionalInformation = {} } = posting;
  return {
    paymentId,
    accountId: fields.senderAccountId ?? '',
    amount: { value: formatMoney(amount), currency: amount.currency },
    creditor: creditorOf(posting),
    paymentType,
    name,
    message: posting.message ?? initiation?.message ?? '',
    ocr: additionalInformation.ocr ?? '',
    approvedAt,
    // A run is approved with its standing order.
    approvedPaymentId: kind === 'run' ? requestId : paymentId,
  };
}

/** The payee in a request to the bank. */
export function creditorOf({ creditor, additionalInformation = {} }: Posting): Creditor {
  const { name, bban } = creditor;
  const { bgNumber, pgNumber } = additionalInformation;
  if (bban !== undefined) return { name, account: accountOf('BBAN', bban) };
  if (bgNumber !== undefined) return { name, account: accountOf('BANKGIRO', bgNumber) };
  return { name, ...(pgNumber !== undefined && { account: accountOf('PLUSGIRO', pgNumber) }) };
}

/** The number under which a payee is paid; the bank gets its digits without separators. */
export function accountOf(
  type: 'BBAN' | 'BANKGIRO' | 'PLUSGIRO',
  number: string,
): NonNullable<Creditor['account']> {
  const schemes = { BBAN: 'bban', BANKGIRO: 'bankgiro', PLUSGIRO: 'plusgiro' } as const;
  return { $case: schemes[type], value: number.replaceAll(/\D/g, '') };
}
