import type { Text } from '@kontoport/errors';
import { decimalsOf, MoneyFormatError, parseMoney } from '@kontoport/money';
import { TEXTS } from '../texts.ts';
import { finding, type Finding, type PaymentFields, type SenderAccount } from './payment-type.model.ts';

/** The requirements of every payment type for an amount, and for the account that pays (§2.10). */

const MAX_DIGITS = 15;

/** The required fields that a draft lacks. */
export function missingFields<Fields extends PaymentFields>(
  fields: Fields,
  required: readonly (keyof Fields & string)[],
): Finding[] {
  return required.filter((path) => fields[path] === undefined).map((path) => finding(path, TEXTS('missing')));
}

/**
 * Returns the fault of a well-formed amount: it must be positive, with at most 15 digits and the decimals of its currency.
 * @param amount decimal string
 * @param currency one that the payment type accepts
 */
export function amountFaults(amount: string | undefined, currency: string): Finding[] {
  if (amount === undefined) return [];
  const given = amount.split('.')[1]?.replace(/0+$/, '').length ?? 0;
  const decimals = decimalsOf(currency);
  if (given > decimals) return [finding('amount', TEXTS('too-many-decimals', { currency, decimals, given }))];
  try {
    return parseMoney(amount, currency).minorUnits > 0n ? [] : [finding('amount', TEXTS('not-positive'))];
  } catch (error) {
    if (error instanceof MoneyFormatError)
      return [finding('amount', TEXTS('too-many-digits', { most: MAX_DIGITS }))];
    throw error;
  }
}

/**
 * Returns the faults of the paying account.
 * @param payment.currency in which it must be kept; undefined where the payment has none yet
 * @param payment.account undefined: it may not be used
 */
export function senderFaults(payment: {
  senderAccountId: string | undefined;
  currency: string | undefined;
  account: SenderAccount | undefined;
  /** Whether the payment leaves the account as a credit transfer. */
  isTransfer: boolean;
}): Finding[] {
  if (payment.senderAccountId === undefined) return [];
  return faultsOf(payment).map((text) => finding('senderAccountId', text));
}

function faultsOf(payment: Omit<Parameters<typeof senderFaults>[0], 'senderAccountId'>): Text[] {
  const { account, currency, isTransfer } = payment;
  if (account === undefined) return [TEXTS('account-not-open')];
  const { supportsPayments, supportsTransfers, currency: kept } = account;
  return [
    ...(supportsPayments ? [] : [TEXTS('account-without-payments')]),
    ...(supportsTransfers || !isTransfer ? [] : [TEXTS('account-without-transfers')]),
    ...(currency === undefined || currency === kept
      ? []
      : [TEXTS('account-in-other-currency', { kept, wanted: currency })]),
  ];
}
