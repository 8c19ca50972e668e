import { type ApiError, toApiError } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import { continueTrace, describeError, type Logger, Loop, Tally } from '@kontoport/runtime';
import type { PostPayment } from '../accounts/ledger.ts';
import { type Draft, endPosting, paymentOf, type PostingOutcome } from '../drafts/draft.model.ts';
import { rejectionOf } from '../drafts/rejection.model.ts';
import { type PaymentTypes, rulesOf } from '../payment-types/payment-type.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { isRefusal, retryDelayMs } from './settlement.model.ts';

const POLL_MS = 50;
const IN_FLIGHT = 32;
/** Postings on one account wait for each other in the ledger, each with a connection of its database. */
const IN_FLIGHT_OF_ORGANIZATION = 4;
/** Longer than any posting takes: after it a claim counts as lost, and the payment is posted again. */
const LEASE_MS = 30_000;

interface SettlementDeps {
  store: PaymentStore;
  paymentTypes: PaymentTypes;
  post: PostPayment;
  logger: Logger;
}

/**
 * Settles payments when they are due (§3.2): posts each through the ledger, again and again while the ledger gives no
 * answer, and writes the outcome. A posting may be repeated; the ledger knows it by the paymentId. Few of one organization
 * are in flight, so that it cannot hold up the others.
 * Closing waits for the postings that began.
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

/** One attempt to post, and its outcome. */
async function settle(deps: SettlementDeps, draft: Draft): Promise<void> {
  const started = performance.now();
  const { clientId, draftId } = draft;
  const { paymentId, attempts, approvedAt } = paymentOf(draft);
  const posting = rulesOf(deps.paymentTypes, draft).posting(draft.fields);
  let refusal: ApiError | undefined;
  try {
    await deps.post({ draft, posting });
  } catch (error) {
    refusal = toApiError(error);
  }
  const now = new Date();
  const end = { ...outcomeOf(refusal, { amount: posting.amount, attempts, now }), paymentId, now };
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

function outcomeOf(
  refusal: ApiError | undefined,
  attempt: { amount: Money; attempts: number; now: Date },
): PostingOutcome {
  const { amount, attempts, now } = attempt;
  if (refusal === undefined) return { outcome: 'settle' };
  if (isRefusal(refusal.code)) return { outcome: 'reject', rejection: rejectionOf(refusal.code, amount) };
  const delayMs = retryDelayMs({ attempts, random: Math.random() });
  return { outcome: 'postpone', dueAt: new Date(now.getTime() + delayMs) };
}
