import { formatMoney } from '@kontoport/money';
import { type GetOutcomeResponse, Outcome } from '@kontoport/proto/accounts/v1';
import type { Entry } from './entry.model.ts';
import type { Booked } from './posting.model.ts';

const OUTCOMES: Record<Entry['state'], Outcome> = {
  authorized: Outcome.OUTCOME_PENDING,
  initiated: Outcome.OUTCOME_PENDING,
  future: Outcome.OUTCOME_PENDING,
  interim: Outcome.OUTCOME_PENDING,
  unknown: Outcome.OUTCOME_PENDING,
  failed_authorization: Outcome.OUTCOME_REMOVED,
  declined: Outcome.OUTCOME_REMOVED,
  settled: Outcome.OUTCOME_BOOKED,
  failed: Outcome.OUTCOME_REMOVED,
  refused: Outcome.OUTCOME_REFUSED,
  voided: Outcome.OUTCOME_VOIDED,
};

/** Answers with the outcome of a transaction. */
export function outcomeResponse(transactionId: string, entry: Entry | undefined): GetOutcomeResponse {
  if (entry === undefined) return { transactionId, outcome: Outcome.OUTCOME_UNKNOWN, refusal: '' };
  const { state, currency, amount, postingTime, balanceAfter } = entry;
  const amountOf = (minorUnits: bigint) => ({ value: formatMoney({ minorUnits, currency }), currency });
  return {
    transactionId,
    outcome: OUTCOMES[state],
    ...(state === 'voided' ? {} : { amount: amountOf(amount) }),
    ...(postingTime === null ? {} : { postingTime }),
    ...(balanceAfter === null ? {} : { balanceAfter: amountOf(balanceAfter) }),
    refusal: state === 'refused' ? 'FUNDS_INSUFFICIENT' : '',
  };
}

/** Answers with a booked transaction. */
export function bookedToWire(transactionId: string, { postingTime, balanceAfter, currency }: Booked) {
  const value = formatMoney({ minorUnits: balanceAfter, currency });
  return { transactionId, postingTime, balanceAfter: { value, currency } };
}
