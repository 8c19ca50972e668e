import type { PaymentTrigger } from '@kontoport/sandbox-triggers';
import { payeeOf, type SummarizedPayment } from '../domain/approval-summary.model.ts';
import type {
  Authentication,
  StrongCustomerAuthentication,
} from '../domain/ports/strong-customer-authentication.ts';
import { triggerOf } from './simulated-triggers.ts';

/** The sandbox's user, who approves everything at once, unless a payee is a trigger (§Sandbox). */
export const simulatedAuthentication: StrongCustomerAuthentication = {
  begin(postings) {
    const trigger = firstTrigger(postings.map(payeeOf));
    if (trigger === undefined) return { status: 'APPROVED' };
    return { status: 'AWAITING_APPROVAL', isAnswered: trigger.redirectError !== undefined };
  },
  async authenticate({ summary }) {
    const error = firstTrigger(summary.payments.map(({ payee }) => payee))?.redirectError;
    return { status: error === undefined ? 'approved' : RESULTS[error] };
  },
};

const RESULTS: Record<NonNullable<PaymentTrigger['redirectError']>, Authentication['status']> = {
  access_denied: 'declined',
  expired: 'expired',
  failed: 'failed',
};

/** One approval has one result: the first payee that is a trigger decides. */
function firstTrigger(payees: readonly SummarizedPayment['payee'][]): PaymentTrigger | undefined {
  return payees.map((payee) => triggerOf(payee, 'approval')).find((trigger) => trigger !== undefined);
}
