import { ApiError, toApiError } from '@kontoport/errors';
import { describeError, type Logger, type Loop } from '@kontoport/lifecycle';
import { continueTrace } from '@kontoport/telemetry';
import { type Draft, paymentOf } from '../domain/draft.model.ts';
import { rulesOf } from '../domain/payment-types/payment-type.model.ts';
import { type PaymentTypes } from '../domain/payment-types/payment-type.ts';
import { endPosting } from '../domain/payment.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { outcomeOf } from '../domain/settlement.model.ts';
import { pollDueWork } from './poll-due-work.ts';

const IN_FLIGHT = 32;
/** Postings on one account wait for each other in the ledger, each with a connection of its database. */
const IN_FLIGHT_PER_ORGANIZATION = 4;
/** Longer than the bank takes to answer; after it the payment is submitted again. */
const LEASE_MS = 30_000;

interface SettlementDeps {
  store: PaymentStore;
  paymentTypes: PaymentTypes;
  bank: Bank;
  logger: Logger;
}

/**
 * Settles due payments (§3.2): submits each to the bank, again after a backoff while the bank gives no answer or is undecided,
 * and writes the outcome. The paymentId makes a submission idempotent. A limit per organization keeps one from holding up
 * the others. Closing waits for the submissions in flight.
 */
export function settlePayments(deps: SettlementDeps): Loop {
  const { store, logger } = deps;
  return pollDueWork<Draft>({
    name: 'settlement',
    inFlight: IN_FLIGHT,
    inFlightPerOrganization: IN_FLIGHT_PER_ORGANIZATION,
    leaseMs: LEASE_MS,
    claim: (claim) => store.claimDue(claim),
    work: (draft) => continueTrace(paymentOf(draft).traceparent, () => settle(deps, draft)),
    logger,
  });
}

/** One submission, and its outcome. */
async function settle(deps: SettlementDeps, draft: Draft): Promise<void> {
  const started = performance.now();
  const { clientId, draftId } = draft;
  const { paymentId, attempts, approvedAt } = paymentOf(draft);
  const posting = rulesOf(deps.paymentTypes, draft).posting(draft.fields);
  const answer = await deps.bank.submit({ draft, posting }).catch(toApiError);
  const refusal = answer instanceof ApiError ? answer : undefined;
  const now = new Date();
  const attempt = { amount: posting.amount, attempts, now, random: Math.random() };
  const end = { ...outcomeOf(answer, attempt), paymentId, now };
  const change = (present: Draft): Draft => endPosting(present, end);
  await deps.store.updateDraft({ clientId, draftId, now, change });
  deps.logger[end.outcome === 'settle' ? 'info' : 'warn'](
    {
      paymentId,
      outcome: end.outcome,
      attempts,
      milliseconds: Math.round(performance.now() - started),
      sinceApproval: now.getTime() - approvedAt.getTime(),
      ...(refusal === undefined ? {} : { errorCode: refusal.code }),
      ...(refusal?.cause === undefined ? {} : { error: describeError(refusal.cause) }),
    },
    'payment posting',
  );
}
