import { ApiError, toApiError } from '@kontoport/errors';
import { call, defineRpc, type Rpc, unary } from '@kontoport/grpc';
import type { Logger } from '@kontoport/lifecycle';
import { type LedgerServiceClient, PostRequest, VoidRequest } from '@kontoport/proto/accounts/v1';
import {
  type CancelPaymentRequest,
  type CancelPaymentResponse,
  PaymentServiceService,
  PaymentStatus,
  RejectionReason,
  type SubmitPaymentRequest,
  type SubmitPaymentResponse,
} from '@kontoport/proto/bank/v1';
import { type Authentications, isSamePayment } from './authentications.ts';
import type { Entry, Journal } from './journal.ts';
import { ACCOUNTS, findUser } from './users.ts';

/** Less than the 5 seconds that Kontoport waits. */
const LEDGER_DEADLINE_MS = 3_000;

/**
 * Executes payments. This bank's books are the ledger of account-information, which books a payment_id once, and never after
 * it was voided. So a crash loses nothing here. A bank with its own core books there under the payment_id, in one
 * transaction, and posts the booking to the ledger.
 */
export class Payments {
  readonly #ledger: LedgerServiceClient;
  readonly #authentications: Authentications;
  readonly #journal: Journal;
  readonly #bookingDelayMs: number;
  /** The first submission of each payment that waits. */
  readonly #taken = new Map<string, number>();

  constructor(options: {
    ledger: LedgerServiceClient;
    authentications: Authentications;
    journal: Journal;
    entries: readonly Entry[];
    bookingDelayMs: number;
  }) {
    this.#ledger = options.ledger;
    this.#authentications = options.authentications;
    this.#journal = options.journal;
    this.#bookingDelayMs = options.bookingDelayMs;
    for (const entry of options.entries) if (entry.kind === 'taken') this.#taken.set(entry.id, entry.at);
  }

  /** @throws ApiError UNAVAILABLE without an answer of the ledger */
  async submit(payment: SubmitPaymentRequest, now: number): Promise<SubmitPaymentResponse> {
    const { paymentId, approvedPaymentId } = payment;
    const approved = this.#authentications.approved(approvedPaymentId);
    // The approval of a standing order covers all of its runs, that of another payment only itself.
    const isNamed = approved?.standingOrder !== undefined || paymentId === approvedPaymentId;
    if (approved === undefined || !isNamed || !isSamePayment(approved, payment))
      return rejected(RejectionReason.REJECTION_REASON_NOT_APPROVED);
    if (await this.#hasToWait(paymentId, now)) return status(PaymentStatus.PAYMENT_STATUS_PENDING);
    try {
      const options = { deadlineMs: LEDGER_DEADLINE_MS };
      await call(this.#ledger, this.#ledger.post, posting(payment), options);
      return status(PaymentStatus.PAYMENT_STATUS_BOOKED);
    } catch (error) {
      return refusal(error);
    }
  }

  /** @throws ApiError UNAVAILABLE without an answer of the ledger */
  async cancel({ paymentId, accountId }: CancelPaymentRequest): Promise<CancelPaymentResponse> {
    try {
      const request = VoidRequest.fromPartial({ transactionId: paymentId, accountId });
      await call(this.#ledger, this.#ledger.void, request, { deadlineMs: LEDGER_DEADLINE_MS });
      return { status: PaymentStatus.PAYMENT_STATUS_CANCELLED };
    } catch (error) {
      if (toApiError(error).code === 'STATUS_INVALID') return { status: PaymentStatus.PAYMENT_STATUS_BOOKED };
      throw error;
    }
  }

  async #hasToWait(paymentId: string, now: number): Promise<boolean> {
    if (this.#bookingDelayMs === 0) return false;
    const taken = this.#taken.get(paymentId);
    if (taken !== undefined) return taken + this.#bookingDelayMs > now;
    this.#taken.set(paymentId, now);
    await this.#journal.append({ kind: 'taken', at: now, id: paymentId });
    return true;
  }
}

const status = (of: PaymentStatus): SubmitPaymentResponse => ({
  status: of,
  reason: RejectionReason.REJECTION_REASON_UNSPECIFIED,
});

const rejected = (reason: RejectionReason): SubmitPaymentResponse => ({
  status: PaymentStatus.PAYMENT_STATUS_REJECTED,
  reason,
});

/** Translates a refusal of the ledger. @throws the error if it is not about the payment */
function refusal(error: unknown): SubmitPaymentResponse {
  const { code } = toApiError(error);
  if (code === 'FUNDS_INSUFFICIENT') return rejected(RejectionReason.REJECTION_REASON_FUNDS_INSUFFICIENT);
  if (code === 'RESOURCE_UNKNOWN') return rejected(RejectionReason.REJECTION_REASON_ACCOUNT_UNKNOWN);
  if (code === 'STATUS_INVALID') return status(PaymentStatus.PAYMENT_STATUS_CANCELLED);
  if (error instanceof ApiError && error.status < 500)
    return rejected(RejectionReason.REJECTION_REASON_OTHER);
  throw error;
}

/** Makes the posting (contract §2.4). It depends on the payment alone, so that repetitions are equal. */
function posting({
  paymentId,
  accountId,
  amount,
  creditor,
  paymentType,
  name,
  message,
  ocr,
  approvedAt,
}: SubmitPaymentRequest): PostRequest {
  const account = ACCOUNTS.find((own) => own.accountId === accountId);
  const to = creditor?.account;
  const bban = to?.$case === 'bban' ? to.value : undefined;
  return PostRequest.fromPartial({
    transactionId: paymentId,
    accountId,
    amount: { value: `-${amount?.value ?? ''}`, currency: amount?.currency ?? '' },
    transactionTime: approvedAt,
    type: paymentType === 'domestic-credit-transfer' ? 'domesticCreditTransfer' : 'unknown',
    title: creditor?.name ?? '',
    message: message === '' ? name : message,
    recipientBban: bban ?? '',
    ...(account && { debtor: party(findUser(account.userId)?.name, account.bban) }),
    creditor: party(creditor?.name, bban),
    additionalInformation: {
      ...(to?.$case === 'bankgiro' ? { bgNumber: to.value } : {}),
      ...(to?.$case === 'plusgiro' ? { pgNumber: to.value } : {}),
      ...(ocr === '' ? {} : { ocr }),
    },
    requireFunds: true,
  });
}

function party(name = '', bban?: string) {
  return bban === undefined ? { name } : { name, accountScheme: 'BBAN', accountIdentification: bban };
}

/** PaymentService. */
export function paymentRpc({ payments, logger }: { payments: Payments; logger: Logger }): Rpc {
  return defineRpc({
    definition: PaymentServiceService,
    allowedCallers: { submitPayment: ['payments'], cancelPayment: ['payments'] },
    implementation: {
      submitPayment: unary<SubmitPaymentRequest, SubmitPaymentResponse>(logger, async (request) =>
        payments.submit(request, Date.now()),
      ),
      cancelPayment: unary<CancelPaymentRequest, CancelPaymentResponse>(logger, async (request) =>
        payments.cancel(request),
      ),
    },
  });
}
