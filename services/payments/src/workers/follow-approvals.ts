import type { Loop } from '@kontoport/lifecycle';
import { continueTrace } from '@kontoport/telemetry';
import { askBank, type AskBankDeps, ASKING_LEASE_MS } from '../approvals/poll-bank.ts';
import type { Basket } from '../domain/basket.model.ts';
import { standingBasket, withPayments } from '../store/with-lazy-expiry.ts';
import { workOffDue } from './poll-due-work.ts';

const IN_FLIGHT = 32;
const IN_FLIGHT_OF_ORGANIZATION = 4;

/**
 * Follows the approvals that wait for their users (§3.2): asks the bank how the authentication stands, whether or not the
 * user's page is still open, and lets lapse what had no outcome in time.
 */
export function followApprovals(deps: AskBankDeps): Loop {
  const { store, logger } = deps;
  return workOffDue<Basket>({
    name: 'approvals',
    inFlight: IN_FLIGHT,
    inFlightOfOrganization: IN_FLIGHT_OF_ORGANIZATION,
    leaseMs: ASKING_LEASE_MS,
    claim: (claim) => store.claimBaskets(claim),
    work: (basket) => continueTrace(basket.asking?.traceparent, () => follow(deps, basket)),
    logger,
  });
}

async function follow(deps: AskBankDeps, claimed: Basket): Promise<void> {
  const now = new Date();
  const basket = await standingBasket(deps.store, claimed, now);
  if (basket.asking?.answer === undefined || basket.status !== 'AWAITING_APPROVAL') return;
  await askBank(deps, await withPayments(deps.store, basket, now));
}
