import { ApiError, toApiError } from '@kontoport/errors';
import { continueTrace, describeError, type Logger, Loop, Tally } from '@kontoport/runtime';
import type { Bank } from '../bank/bank.ts';
import { type Draft, endPosting, paymentOf } from '../drafts/draft.model.ts';
import { type PaymentTypes, rulesOf } from '../payment-types/payment-type.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { outcomeOf } from './settlement.model.ts';

const POLL_MS = 50;
const IN_FLIGHT = 32;
/** Postings on one account wait for each other in the ledger, each with a connection of its database. */
const IN_FLIGHT_OF_ORGANIZATION = 4;
/** Longer than the bank takes to answer: after it a claim counts as lost, and the payment is submitted again. */
const LEASE_MS = 30_000;

interface SettlementDeps {
  store: PaymentStore;
  paymentTypes: PaymentTypes;
  bank: Bank;
  logger: Logger;
}

/**
 * Settles payments when they are due (§3.2): submits each to the bank, again and again while it gives no answer or has not
 * decided, and writes the outcome. The bank knows a repetition by the paymentId. Few of one organization are in flight, so
 * that it cannot hold up the others.
 * Closing waits for the submissions that began.
 */
export function settlePayments(deps: SettlementDeps): Loop {
  const { store, logger } = deps;
  const inFlight = new Set<Promise<void>>();
  const inHand = new Tally();
  const begin = (draft: Draft): void => {
    inHand.add(draft.organizationIdentifier, 1);
    const settling = continueTrace(paymentOf(draft).traceparent, () => settle(deps, draft))
      // The claim runs out, and the payment is posted again.
      .catch((error: unknown) => logger.error({ error: describeError(error) }, 'outcome not kept'))
      .finally(() => {
        inHand.add(draft.organizationIdentifier, -1);
        inFlight.delete(settling);
        loop.wake();
      });
    inFlight.add(settling);
  };
  const loop = new Loop({
    name: 'settlement',
    everyMs: POLL_MS,
    work: async () => {
      const limit = IN_FLIGHT - inFlight.size;
      const limits = { limit, limitOfOrganization: IN_FLIGHT_OF_ORGANIZATION, leaseMs: LEASE_MS };
      for (const draft of await store.claimDue({ now: new Date(), inHand, ...limits })) begin(draft);
    },
    finish: async () => void (await Promise.all(inFlight)),
    logger,
  });
  return loop;
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
  await deps.store.updateDraft({ clientId, draftId, now, change: (present) => endPosting(present, end) });
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
