import type { Text } from '@kontoport/errors';
import { parseMoney } from '@kontoport/money';
import { readBban } from '../account-numbers/bban.model.ts';
import { withoutSeparators } from '../account-numbers/number-verdict.model.ts';
import { countryOfCurrency } from '../calendar/country-time.model.ts';
import { TEXTS } from '../texts.ts';
import { amountFaults, missingFields, senderFaults } from './payment-faults.model.ts';
import {
  finding,
  type Finding,
  type PaymentFields,
  type PaymentRules,
  type SenderAccount,
} from './payment-type.model.ts';

/** The fields that a TPP fills in, one PATCH after the other (§2.10). */
export interface TransferFields extends PaymentFields {
  readonly receiverAccountBban?: string | undefined;
  readonly receiverName?: string | undefined;
  /** Decimal string. */
  readonly amount?: string | undefined;
  /** ISO 4217 alpha-3. */
  readonly currency?: string | undefined;
}

const REQUIRED = ['receiverAccountBban', 'receiverName', 'amount', 'currency', 'senderAccountId'] as const;

/** A transfer between accounts of one country, which its currency determines (§2.10, §3.2). */
export const domesticCreditTransferRules: PaymentRules<TransferFields> = {
  onApproval: 'settle-after-delay',
  onDeletion: 'draft-again',

  validate(fields, senderAccount) {
    const { amount, currency, senderAccountId } = fields;
    const receiver = receiverVerdict(fields);
    return {
      errors: [
        ...missingFields(fields, REQUIRED),
        ...currencyFaults(fields),
        ...receiver.errors,
        ...sameAccountFaults(fields, senderAccount),
        ...(isDomestic(currency) ? amountFaults(amount, currency) : []),
        ...senderFaults({ senderAccountId, currency, account: senderAccount, isTransfer: true }),
      ],
      warnings: receiver.warnings,
    };
  },

  posting({ receiverAccountBban = '', receiverName = '', amount = '', currency = '' }) {
    const recipientBban = digitsOf(receiverAccountBban, currency);
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
  if (currency === undefined || isDomestic(currency)) return [];
  return [finding('currency', TEXTS('transfer-currency'))];
}

function receiverVerdict({ receiverAccountBban, currency = '' }: TransferFields) {
  const country = countryOfCurrency(currency);
  if (receiverAccountBban === undefined || country === undefined) return { errors: [], warnings: [] };
  const { errors, warnings } = readBban(receiverAccountBban, country);
  const there = (text: Text): Finding => finding('receiverAccountBban', text);
  return { errors: errors.map(there), warnings: warnings.map(there) };
}

/** Compares the digits to pay to (§2.10): the same account can be written in several ways. */
function sameAccountFaults(
  { receiverAccountBban, currency = '' }: TransferFields,
  sender?: SenderAccount,
): Finding[] {
  if (receiverAccountBban === undefined || sender === undefined) return [];
  const isSame = digitsOf(receiverAccountBban, currency) === digitsOf(sender.bban, sender.currency);
  return isSame ? [finding('receiverAccountBban', TEXTS('sender-is-receiver'))] : [];
}

function digitsOf(bban: string, currency: string): string {
  const country = countryOfCurrency(currency);
  return country === undefined ? withoutSeparators(bban) : readBban(bban, country).digits;
}

function isDomestic(currency: string | undefined): currency is string {
  return currency !== undefined && countryOfCurrency(currency) !== undefined;
}
