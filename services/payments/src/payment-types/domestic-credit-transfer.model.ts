import type { ErrorDetail } from '@kontoport/errors';
import { MoneyFormatError, parseMoney } from '@kontoport/money';
import type { SenderAccount } from '../accounts/sender-account.model.ts';
import { checkBban, countryOfCurrency } from '../account-numbers/bban.model.ts';

/** What a TPP fills in, one PATCH after the other (specification §2.10). */
export interface TransferFields {
  readonly receiverAccountBban?: string | undefined;
  readonly receiverName?: string | undefined;
  /** Decimal string. */
  readonly amount?: string | undefined;
  /** ISO 4217 alpha-3. */
  readonly currency?: string | undefined;
  readonly senderAccountId?: string | undefined;
}

const REQUIRED = ['receiverAccountBban', 'receiverName', 'amount', 'currency', 'senderAccountId'] as const;

/**
 * Judges a domestic credit transfer as a whole: what is missing, what is wrong, and what could not be checked.
 * @param senderAccount the account that `senderAccountId` names; undefined when the client may not use it
 */
export function validateTransfer(
  fields: TransferFields,
  senderAccount: SenderAccount | undefined,
): { errors: ErrorDetail[]; warnings: ErrorDetail[] } {
  const errors: ErrorDetail[] = REQUIRED.filter((path) => fields[path] === undefined).map((path) => ({
    path,
    message: 'is missing',
  }));
  const warnings: ErrorDetail[] = [];
  const { receiverAccountBban, amount, currency, senderAccountId } = fields;
  const country = currency === undefined ? undefined : countryOfCurrency(currency);

  if (currency !== undefined && country === undefined)
    errors.push({ path: 'currency', message: 'a domestic credit transfer is made in DKK, NOK or SEK' });

  if (receiverAccountBban !== undefined && country !== undefined) {
    const verdict = checkBban(receiverAccountBban, country);
    errors.push(...verdict.errors.map((message) => ({ path: 'receiverAccountBban', message })));
    warnings.push(...verdict.warnings.map((message) => ({ path: 'receiverAccountBban', message })));
  }

  if (amount !== undefined && currency !== undefined && country !== undefined) {
    const fault = amountFault(amount, currency);
    if (fault !== undefined) errors.push({ path: 'amount', message: fault });
  }

  if (senderAccountId !== undefined)
    for (const message of senderFaults(senderAccount, currency))
      errors.push({ path: 'senderAccountId', message });
  return { errors, warnings };
}

function amountFault(amount: string, currency: string): string | undefined {
  try {
    return parseMoney(amount, currency).minorUnits > 0n ? undefined : 'is not positive';
  } catch (error) {
    if (error instanceof MoneyFormatError) return error.message;
    throw error;
  }
}

function senderFaults(account: SenderAccount | undefined, currency: string | undefined): string[] {
  if (account === undefined) return ['is not an account that you may use'];
  return [
    ...(account.supportsPayments ? [] : ['the account does not support payments']),
    ...(account.supportsTransfers ? [] : ['the account does not support credit transfers']),
    ...(currency === undefined || currency === account.currency
      ? []
      : [`the account is kept in ${account.currency}, not in ${currency}`]),
  ];
}
