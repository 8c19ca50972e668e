import type { ErrorCode, Text } from '@kontoport/errors';
import { formatMoney, type Money } from '@kontoport/money';
import type { Rejection } from './draft.model.ts';
import { TEXTS } from './texts.ts';

/** The rejection of the payment of `amount` for an error of the ledger; the ledger's own text is for us, not for a TPP. */
export function rejectionOf(errorCode: ErrorCode, amount: Money): Rejection {
  return rejectionBecause(errorCode, textFor(errorCode, amount));
}

/** A rejection for a reason of our own. */
export function rejectionBecause(errorCode: ErrorCode, { rule, values }: Text): Rejection {
  return { errorCode, rule, values };
}

function textFor(errorCode: ErrorCode, amount: Money): Text {
  if (errorCode === 'RESOURCE_UNKNOWN') return TEXTS('rejected-without-account');
  if (errorCode !== 'FUNDS_INSUFFICIENT') return TEXTS('rejected');
  return TEXTS('rejected-without-funds', { amount: formatMoney(amount), currency: amount.currency });
}

/** The sentence of a rejection, as far as this version still has it. */
export function textOfRejection(rejection: Rejection): Text {
  return TEXTS.read(rejection) ?? TEXTS('rejected');
}
