import type { Text } from '@kontoport/errors';
import { decimalsOf, MoneyFormatError, parseMoney } from '@kontoport/money';
import { bbanDigits, checkBban, countryOfCurrency } from '../account-numbers/bban.model.ts';
import { TEXTS } from '../texts.ts';
import {
  finding,
  type Finding,
  type PaymentFields,
  type PaymentRules,
  type SenderAccount,
} from './payment-type.model.ts';

/** What a TPP fills in, one PATCH after the other (§2.10). */
export interface TransferFields extends PaymentFields {
  readonly receiverAccountBban?: string | undefined;
  readonly receiverName?: string | undefined;
  /** Decimal string. */
  readonly amount?: string | undefined;
  /** ISO 4217 alpha-3. */
  readonly currency?: string | undefined;
}

const REQUIRED = ['receiverAccountBban', 'receiverName', 'amount', 'currency', 'senderAccountId'] as const;

/** A transfer between accounts of one country; its currency says which (§2.10, §3.2). */
export const domesticCreditTransferRules: PaymentRules<TransferFields> = {
  onApproval: 'settle-after-delay',
  onDeletion: 'draft-again',

  validate(fields, senderAccount) {
    const missing = REQUIRED.filter((path) => fields[path] === undefined);
    const receiver = receiverVerdict(fields);
    return {
      errors: [
        ...missing.map((path) => finding(path, TEXTS('missing'))),
        ...currencyFaults(fields),
        ...receiver.errors,
        ...sameAccountFaults(fields, senderAccount),
        ...amountFaults(fields),
        ...senderFaults(fields, senderAccount),
      ],
      warnings: receiver.warnings,
    };
  },

  posting({ receiverAccountBban = '', receiverName = '', amount = '', currency = '' }) {
    const recipientBban = bbanDigits(receiverAccountBban);
    return {
      type: 'domesticCreditTransfer',
      title: receiverName,
      amount: parseMoney(amount, currency),
      creditor: { name: receiverName, bban: recipientBban },
      recipientBban,
    };
  },
};

function currencyFaults({ currency }: TransferFields): Finding[] {
  if (currency === undefined || countryOfCurrency(currency) !== undefined) return [];
  return [finding('currency', TEXTS('transfer-currency'))];
}

function receiverVerdict({ receiverAccountBban, currency = '' }: TransferFields) {
  const country = countryOfCurrency(currency);
  if (receiverAccountBban === undefined || country === undefined) return { errors: [], warnings: [] };
  const { errors, warnings } = checkBban(receiverAccountBban, country);
  const there = (text: Text): Finding => finding('receiverAccountBban', text);
  return { errors: errors.map(there), warnings: warnings.map(there) };
}

/** Numbers are the same by their digits (§2.10): whoever writes them may group them. */
function sameAccountFaults({ receiverAccountBban }: TransferFields, sender?: SenderAccount): Finding[] {
  if (receiverAccountBban === undefined || sender === undefined) return [];
  if (bbanDigits(receiverAccountBban) !== bbanDigits(sender.bban)) return [];
  return [finding('receiverAccountBban', TEXTS('sender-is-receiver'))];
}

const MOST_DIGITS = 15;

function amountFaults({ amount, currency = '' }: TransferFields): Finding[] {
  if (amount === undefined || countryOfCurrency(currency) === undefined) return [];
  const given = amount.split('.')[1]?.length ?? 0;
  const decimals = decimalsOf(currency);
  if (given > decimals) return [finding('amount', TEXTS('too-many-decimals', { currency, decimals, given }))];
  try {
    return parseMoney(amount, currency).minorUnits > 0n ? [] : [finding('amount', TEXTS('not-positive'))];
  } catch (error) {
    if (error instanceof MoneyFormatError)
      return [finding('amount', TEXTS('too-many-digits', { most: MOST_DIGITS }))];
    throw error;
  }
}

function senderFaults({ senderAccountId, currency }: TransferFields, account?: SenderAccount): Finding[] {
  if (senderAccountId === undefined) return [];
  return faultsOf(account, currency).map((text) => finding('senderAccountId', text));
}

function faultsOf(account: SenderAccount | undefined, currency: string | undefined): Text[] {
  if (account === undefined) return [TEXTS('account-not-open')];
  const { supportsPayments, supportsTransfers, currency: kept } = account;
  return [
    ...(supportsPayments ? [] : [TEXTS('account-without-payments')]),
    ...(supportsTransfers ? [] : [TEXTS('account-without-transfers')]),
    ...(currency === undefined || currency === kept
      ? []
      : [TEXTS('account-in-other-currency', { kept, wanted: currency })]),
  ];
}
