import { type ApiError, type Template, type Text, toApiError } from '@kontoport/errors';
import { describeError, type Logger, Loop } from '@kontoport/runtime';
import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import type { PostPayment } from '../accounts/ledger.ts';
import { type Draft, endPosting, paymentOf, type PostingOutcome } from '../drafts/draft.model.ts';
import { type PaymentTypes, rulesOf } from '../payment-types/payment-type.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import { isRefusal, retryDelayMs } from './settlement.model.ts';

const POLL_MS = 50;
const IN_FLIGHT = 32;
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
 * answer, and writes the outcome. A posting may be repeated; the ledger knows it by the paymentId.
 * Closing waits for the postings that began.
 */
export function settlePayments(deps: SettlementDeps): Loop {
  const { store, logger } = deps;
  const inFlight = new Set<Promise<void>>();
  return new Loop({
    name: 'settlement',
    everyMs: POLL_MS,
    work: async () => {
      const limit = IN_FLIGHT - inFlight.size;
      for (const draft of await store.claimDue({ now: new Date(), limit, leaseMs: LEASE_MS })) {
        const settling = settle(deps, draft)
          // The claim runs out, and the payment is posted again.
          .catch((error: unknown) => logger.error({ error: describeError(error) }, 'outcome not kept'))
          .finally(() => inFlight.delete(settling));
        inFlight.add(settling);
      }
    },
    finish: async () => void (await Promise.all(inFlight)),
    logger,
  });
}

/** One attempt to post, and its outcome. */
async function settle(deps: SettlementDeps, draft: Draft): Promise<void> {
  const started = performance.now();
  const { clientId, draftId } = draft;
  const { paymentId, attempts, approvedAt, trace } = paymentOf(draft);
  const posting = rulesOf(deps.paymentTypes, draft).posting(draft.fields);
  let refusal: ApiError | undefined;
  try {
    await context.with(propagation.extract(ROOT_CONTEXT, trace), () => deps.post({ draft, posting }));
  } catch (error) {
    refusal = toApiError(error);
  }
  const now = new Date();
  const end = { ...outcomeOf(refusal, { attempts, now }), paymentId, now };
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

function outcomeOf(refusal: ApiError | undefined, at: { attempts: number; now: Date }): PostingOutcome {
  if (refusal === undefined) return { outcome: 'settle' };
  if (isRefusal(refusal.code))
    return {
      outcome: 'reject',
      rejection: { errorCode: refusal.code, message: inEveryLanguage(refusal.text) },
    };
  const delayMs = retryDelayMs({ attempts: at.attempts, random: Math.random() });
  return { outcome: 'postpone', dueAt: new Date(at.now.getTime() + delayMs) };
}

/** The words of the ledger, kept for whoever reads the draft. */
function inEveryLanguage(text: Text): Template {
  return { en: text.in('en'), da: text.in('da'), sv: text.in('sv'), nb: text.in('nb') };
}
