import type { Loop } from '@kontoport/lifecycle';
import { continueTrace } from '@kontoport/telemetry';
import { pollBank, type PollBankDeps, SCA_LEASE_MS } from '../approvals/poll-bank.ts';
import type { Basket } from '../domain/basket.model.ts';
import { expireOverdueBasket, loadBasketState } from '../store/with-lazy-expiry.ts';
import { pollDueWork } from './poll-due-work.ts';

const IN_FLIGHT = 32;
const IN_FLIGHT_PER_ORGANIZATION = 4;

/**
 * Polls the bank for the approvals that wait for their users (§3.2), whether or not the user's page is still open, and expires
 * those without a result in time.
 */
export function followApprovals(deps: PollBankDeps): Loop {
  const { store, logger } = deps;
  return pollDueWork<Basket>({
    name: 'approvals',
    inFlight: IN_FLIGHT,
    inFlightPerOrganization: IN_FLIGHT_PER_ORGANIZATION,
    leaseMs: SCA_LEASE_MS,
    claim: (claim) => store.claimBaskets(claim),
    work: (basket) => continueTrace(basket.approvalRequest?.traceparent, () => follow(deps, basket)),
    logger,
  });
}

async function follow(deps: PollBankDeps, claimed: Basket): Promise<void> {
  const now = new Date();
  const basket = await expireOverdueBasket(deps.store, claimed, now);
  if (basket.approvalRequest?.answer === undefined || basket.status !== 'AWAITING_APPROVAL') return;
  await pollBank(deps, await loadBasketState(deps.store, basket, now));
}
