import { ApiError, type Language } from '@kontoport/errors';
import { openApprovalRequest, recordAnswer, unknownApproval } from '../domain/approval-request.model.ts';
import type { BasketState } from '../domain/basket-state.model.ts';
import type { Answer, Basket } from '../domain/basket.model.ts';
import { TEXTS } from '../domain/texts.ts';
import { pollBank, type PollBankDeps, SCA_LEASE_MS } from './poll-bank.ts';
import { summarize } from './summarize.ts';

/** A user's answer on the approval page. */
export interface UserDecision {
  approvalId: string;
  /** UUID of the user. */
  userId: string;
  decision: Answer['decision'];
  /** Digest of the page's content. */
  digest: string;
  /** Language of the page. */
  language: Language;
  now: Date;
}

/**
 * Records a user's answer (§3.2, §4.4). Only the first answer counts; later ones return the present basket. A decline ends the
 * approval. An approval is stored, and the bank is polled once here and from then on by a worker.
 * @returns the updated basket
 * @throws ApiError RESOURCE_UNKNOWN for an unknown link and for another user's; STATUS_INVALID when the page showed other content
 */
export async function decideApproval(deps: PollBankDeps, said: UserDecision): Promise<Basket> {
  const { approvalId, now } = said;
  let first = false;
  const answered = await deps.store.updateBasket({
    approvalId,
    now,
    decide: (found) => {
      const present = answerFor(deps, found, said);
      first =
        present.basket.approvalRequest?.answer !== undefined &&
        found.basket.approvalRequest?.answer === undefined;
      return present;
    },
  });
  if (answered === undefined) throw unknownApproval();
  return first && said.decision === 'approve' ? pollBank(deps, answered) : answered.basket;
}

function answerFor(
  { paymentTypes }: PollBankDeps,
  found: BasketState,
  { userId, decision, digest, language, now }: UserDecision,
): BasketState {
  if (found.basket.approvalRequest?.userId !== userId) throw unknownApproval();
  // The drafts of a completed approval may have changed since.
  if (openApprovalRequest(found.basket) === undefined) return found;
  if (digest !== summarize(paymentTypes, found).digest)
    throw new ApiError('STATUS_INVALID', TEXTS('approval-differs'));
  return recordAnswer(found, { answer: { decision, digest, language, at: now }, leaseMs: SCA_LEASE_MS });
}
