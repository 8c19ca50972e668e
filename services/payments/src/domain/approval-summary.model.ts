import { createHash } from 'node:crypto';
import { formatMoney, type Money } from '@kontoport/money';
import type { Basket } from './basket.model.ts';
import type { Draft } from './draft.model.ts';
import type { Finding, Posting } from './payment-types/payment-type.model.ts';
import type { Schedule } from './schedule.model.ts';

/** The kind of number under which a payee is paid. */
export const PAYEE_NUMBERS = ['BBAN', 'BANKGIRO', 'PLUSGIRO'] as const;

/** One payment as its user sees it. */
export interface SummarizedPayment {
  readonly paymentId: string;
  /** The segment of the path that names the payment type (§4.4). */
  readonly paymentType: string;
  readonly sender: { readonly accountId: string; readonly bban: string; readonly ownerName: string };
  readonly payee: {
    readonly name: string;
    readonly numberType: (typeof PAYEE_NUMBERS)[number];
    readonly number: string;
  };
  /** The text that the payee reads: an OCR number or words. */
  readonly reference: string;
  /** Decimal, positive. */
  readonly amount: string;
  /** ISO 4217. */
  readonly currency: string;
  /** The day of execution, if there is one: `YYYY-MM-DD`. */
  readonly executionDate?: string;
  /** Only of a standing order; each of its runs is such a payment. */
  readonly schedule?: Schedule;
  readonly warnings: readonly Finding[];
}

/** Everything that a user approves at once: accounts, payees and amounts (§3.2). */
export interface ApprovalSummary {
  readonly clientId: string;
  readonly payments: readonly SummarizedPayment[];
  /** The sums that leave the accounts, one for each currency, in the order of the codes. */
  readonly sums: readonly { readonly amount: string; readonly currency: string }[];
}

/** A payment, or a standing order, that is to be approved. */
export type ApprovableItem = Pick<
  Draft,
  'paymentType' | 'name' | 'fields' | 'senderAccount' | 'initiation' | 'validationWarnings'
> & {
  paymentId: string;
  schedule?: Schedule;
};

/**
 * Summarizes the content of an approval.
 * @param toApprove in the order in which it is shown
 * @param postingOf the posting that the payment type makes of the fields
 */
export function summaryOf(
  clientId: string,
  toApprove: readonly ApprovableItem[],
  postingOf: (payment: ApprovableItem) => Posting,
): ApprovalSummary {
  const postings = toApprove.map((payment) => ({ payment, posting: postingOf(payment) }));
  const sums = new Map<string, bigint>();
  for (const { posting } of postings) {
    const { currency, minorUnits } = posting.amount;
    sums.set(currency, (sums.get(currency) ?? 0n) + minorUnits);
  }
  return {
    clientId,
    payments: postings.map(({ payment, posting }) => summarized(payment, posting)),
    sums: [...sums]
      .map(([currency, minorUnits]) => written({ currency, minorUnits }))
      .toSorted((one, other) => (one.currency < other.currency ? -1 : 1)),
  };
}

function summarized(payment: ApprovableItem, posting: Posting): SummarizedPayment {
  const { paymentId, senderAccount, paymentType, fields, name, initiation, schedule } = payment;
  const { additionalInformation = {}, amount } = posting;
  const { ocr } = additionalInformation;
  return {
    paymentId,
    paymentType,
    sender: {
      accountId: fields.senderAccountId ?? '',
      bban: senderAccount?.bban ?? '',
      ownerName: senderAccount?.ownerName ?? '',
    },
    payee: payeeOf(posting),
    reference: ocr ?? posting.message ?? initiation?.message ?? name,
    ...written(amount),
    ...(initiation?.executionDate !== undefined && { executionDate: initiation.executionDate }),
    ...(schedule && { schedule }),
    warnings: payment.validationWarnings,
  };
}

/** The payee of a posting, with the number under which it is paid. */
export function payeeOf({ creditor, additionalInformation = {} }: Posting): SummarizedPayment['payee'] {
  const { name, bban = '' } = creditor;
  const { bgNumber, pgNumber } = additionalInformation;
  if (bgNumber !== undefined) return { name, numberType: 'BANKGIRO', number: bgNumber };
  if (pgNumber !== undefined) return { name, numberType: 'PLUSGIRO', number: pgNumber };
  return { name, numberType: 'BBAN', number: bban };
}

function written(amount: Money): { amount: string; currency: string } {
  return { amount: formatMoney(amount), currency: amount.currency };
}

/**
 * Binds a decision to the content that was shown: SHA-256, base64url, of the approval and of every account, payee and amount.
 * Arrays have an order, and objects none, so that only arrays are written.
 */
export function digestOf(approvalId: string, { clientId, payments }: ApprovalSummary): string {
  const words = payments.map((payment) => [
    payment.paymentId,
    payment.paymentType,
    payment.sender.accountId,
    payment.sender.bban,
    payment.payee.name,
    payment.payee.numberType,
    payment.payee.number,
    payment.reference,
    payment.amount,
    payment.currency,
    payment.executionDate,
    payment.schedule?.startDate,
    payment.schedule?.endDate,
    payment.schedule?.frequency,
    payment.schedule?.dayOfExecution,
    payment.schedule?.executionRule,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([approvalId, clientId, words]))
    .digest('base64url');
}

/** An approval as its page shows it. */
export interface ShownApproval {
  basket: Basket;
  /** For the payer, while it waits. */
  content?: { summary: ApprovalSummary; digest: string };
}
