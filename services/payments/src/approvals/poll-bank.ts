import type { ClientDirectory } from '@kontoport/client-directory';
import { ApiError, toApiError } from '@kontoport/errors';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { ClientClocks } from '../clocks/client-clocks.ts';
import { completeApproval, openApprovalRequest, schedulePoll } from '../domain/approval-request.model.ts';
import type { BasketState } from '../domain/basket-state.model.ts';
import type { Basket } from '../domain/basket.model.ts';
import { type Draft, paymentOf } from '../domain/draft.model.ts';
import { notBefore } from '../domain/initiations/initiation.model.ts';
import { rulesOf } from '../domain/payment-types/payment-type.model.ts';
import type { PaymentTypes } from '../domain/payment-types/payment-type.ts';
import { approve } from '../domain/payment.model.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import type {
  Authentication,
  StrongCustomerAuthentication,
} from '../domain/ports/strong-customer-authentication.ts';
import { isRefusal, retryDelayMs } from '../domain/settlement.model.ts';
import { activate, type StandingOrder } from '../domain/standing-order.model.ts';
import { summarize } from './summarize.ts';

/** Dependencies of `pollBank`. */
export interface PollBankDeps {
  store: PaymentStore;
  paymentTypes: PaymentTypes;
  authentication: StrongCustomerAuthentication;
  bank: Pick<Bank, 'holdMs'>;
  clocks: ClientClocks;
  directory: Pick<ClientDirectory, 'find'>;
  settlementDelayMs: number;
  logger: Logger;
}

/** Lease of one poll, longer than the bank takes to answer; another process polls after it. */
export const SCA_LEASE_MS = 30_000;

/** Poll interval while the user is in the bank's app: short, because they wait for us afterwards. */
const PENDING_MS = 1_000;

/**
 * Polls the bank once for the authentication of a basket that its user approved, and writes the result; without one it
 * schedules the next poll.
 * @returns the updated basket
 */
export async function pollBank(deps: PollBankDeps, found: BasketState): Promise<Basket> {
  const { store, logger } = deps;
  const { approvalId } = found.basket;
  const request = openApprovalRequest(found.basket);
  if (request?.answer === undefined) return found.basket;
  const { summary, digest } = summarize(deps.paymentTypes, found);
  const { userId, expiresAt, answer: said } = request;
  const clientName = deps.directory.find(found.basket.clientId)?.displayName ?? '';
  const order = { approvalId, userId, digest, summary, clientName, language: said.language, expiresAt };
  const answer = await deps.authentication.authenticate(order).catch(toApiError);
  const now = new Date();
  const random = Math.random();
  const decided = await store.updateBasket({
    approvalId,
    now,
    decide: (present) => writeAnswer(deps, present, { answer, now, random }),
  });
  const status = decided?.basket.status;
  const { clientId, requestId } = found.basket;
  logger.info(
    {
      clientId,
      requestId,
      status,
      attempts: request.attempts,
      ...(answer instanceof ApiError ? { errorCode: answer.code } : { answer: answer.status }),
      ...(answer instanceof ApiError && answer.cause !== undefined
        ? { error: describeError(answer.cause) }
        : {}),
    },
    'authentication of an approval',
  );
  return decided?.basket ?? found.basket;
}

function writeAnswer(
  { paymentTypes, bank, clocks, settlementDelayMs }: PollBankDeps,
  present: BasketState,
  heard: { answer: Authentication | ApiError; now: Date; random: number },
): BasketState {
  const { answer, now, random } = heard;
  if (answer instanceof ApiError) {
    if (isRefusal(answer.code)) return completeApproval(present, { outcome: 'failed' }, now);
    const attempts = present.basket.approvalRequest?.attempts ?? 1;
    return schedulePoll(present, new Date(now.getTime() + retryDelayMs({ attempts, random })));
  }
  if (answer.status === 'approved') {
    const time = { now, aheadMs: clocks.aheadMs(present.basket.clientId) };
    const toPayment = (draft: Draft): Draft => {
      const { paymentId, requestId, traceparent } = paymentOf(draft);
      const rules = rulesOf(paymentTypes, draft);
      const due = { settlementDelayMs, holdMs: bank.holdMs };
      const payment = { paymentId, requestId, traceparent, rules, ...due, now };
      // The account was looked up when the approval began.
      const senderAccount = draft.senderAccount!;
      const begin = notBefore(draft.initiation, time, senderAccount);
      return approve(draft, { ...payment, senderAccount, notBefore: begin });
    };
    const toActive = (order: StandingOrder): StandingOrder => activate(order, time);
    return completeApproval(present, { outcome: 'approved', approve: toPayment, activate: toActive }, now);
  }
  if (answer.status !== 'pending') return completeApproval(present, { outcome: answer.status }, now);
  return schedulePoll(present, new Date(now.getTime() + PENDING_MS), answer.approvalUrl);
}
