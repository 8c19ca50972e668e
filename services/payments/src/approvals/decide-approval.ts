import { ApiError, type Language } from '@kontoport/errors';
import { openApprovalRequest, recordAnswer, unknownApproval } from '../domain/approval-request.model.ts';
import type { BasketState } from '../domain/basket-state.model.ts';
import type { Answer, Basket } from '../domain/basket.model.ts';
import { TEXTS } from '../domain/texts.ts';
import { pollBank, type PollBankDeps, SCA_LEASE_MS } from './poll-bank.ts';
import { summarize } from './summarize.ts';

/** What a user says on the page. */
export interface UserDecision {
  approvalId: string;
  /** UUID of the user who says it. */
  userId: string;
  decision: Answer['decision'];
  /** Of what was shown. */
  digest: string;
  /** In which it was shown. */
  language: Language;
  now: Date;
}

/**
 * A user says yes or no (§3.2, §4.4). The first answer stands; whoever says more hears how the basket stands. A no ends it;
 * a yes is kept, and then the bank is asked, here once and from then on in the background: without its answer the basket
 * waits on.
 * @returns the basket as it stands then
 * @throws ApiError RESOURCE_UNKNOWN for an unknown link and for another user's; STATUS_INVALID when something else was shown
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
  // Of what has ended the drafts may have gone on.
  if (openApprovalRequest(found.basket) === undefined) return found;
  if (digest !== summarize(paymentTypes, found).digest)
    throw new ApiError('STATUS_INVALID', TEXTS('approval-differs'));
  return recordAnswer(found, { answer: { decision, digest, language, at: now }, leaseMs: SCA_LEASE_MS });
}
