import { type ApprovalSummary, digestOf, summaryOf } from '../domain/approval-summary.model.ts';
import type { BasketState } from '../domain/basket-state.model.ts';
import { paymentOf } from '../domain/draft.model.ts';
import { rulesOf } from '../domain/payment-types/payment-type.model.ts';
import { type PaymentTypes } from '../domain/payment-types/payment-type.ts';

/** Summarizes the payments that a basket asks its user to approve, with the digest that binds the answer to them. */
export function summarize(
  paymentTypes: PaymentTypes,
  { basket, drafts, standingOrder }: BasketState,
): { summary: ApprovalSummary; digest: string } {
  const { clientId, approvalId, requestId, draftIds } = basket;
  const payments = drafts
    .filter(({ payment }) => payment?.requestId === requestId)
    .toSorted((one, other) => draftIds.indexOf(one.draftId) - draftIds.indexOf(other.draftId))
    .map((draft) => ({ ...draft, paymentId: paymentOf(draft).paymentId }));
  const toApprove =
    standingOrder === undefined ? payments : [{ ...standingOrder, initiation: standingOrder }];
  const summary = summaryOf(clientId, toApprove, (each) => rulesOf(paymentTypes, each).posting(each.fields));
  return { summary, digest: digestOf(approvalId, summary) };
}
