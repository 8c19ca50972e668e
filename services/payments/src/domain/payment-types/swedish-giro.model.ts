import type { Text } from '@kontoport/errors';
import { parseMoney } from '@kontoport/money';
import { checkGiroNumber, checkOcr, type Giro, writtenGiroNumber } from '../account-numbers/giro.model.ts';
import { type NumberVerdict, VALID, withoutSeparators } from '../account-numbers/number-verdict.model.ts';
import { TEXTS } from '../texts.ts';
import { amountFaults, missingFields, senderFaults } from './payment-faults.model.ts';
import { finding, type Finding, type PaymentFields, type PaymentRules } from './payment-type.model.ts';

export const REFERENCE_TYPES = ['OCR', 'MESSAGE'] as const;

/** The fields that a TPP fills in, one PATCH after the other (§2.10). */
export interface GiroFields extends PaymentFields {
  readonly receiverGiroNumber?: string | undefined;
  readonly receiverName?: string | undefined;
  /** Decimal string. */
  readonly amount?: string | undefined;
  /** ISO 4217 alpha-3. */
  readonly currency?: string | undefined;
  /** The text that the receiver reads: an OCR number or words. */
  readonly reference?: string | undefined;
  readonly referenceType?: (typeof REFERENCE_TYPES)[number] | undefined;
}

const REQUIRED = [
  'receiverGiroNumber',
  'receiverName',
  'amount',
  'currency',
  'reference',
  'referenceType',
  'senderAccountId',
] as const;

/** The only currency of both giros. */
const CURRENCY = 'SEK';

/** The fields of a posting that name the receiver (§2.4). */
const NUMBER_KEYS: Readonly<Record<Giro, string>> = { bankgiro: 'bgNumber', plusgiro: 'pgNumber' };

/** A payment to a Swedish giro number: booked by its approval (§2.10, §3.2). */
export function swedishGiroRules(giro: Giro): PaymentRules<GiroFields> {
  return {
    onApproval: 'settle-at-once',
    onDeletion: 'not-offered',

    validate(fields, account) {
      const { receiverGiroNumber: number, amount, currency, senderAccountId } = fields;
      const receiver = number === undefined ? VALID : checkGiroNumber(number, giro);
      const reference = referenceVerdict(fields);
      const isSwedish = currency === CURRENCY;
      return {
        errors: [
          ...missingFields(fields, REQUIRED),
          ...(currency === undefined || isSwedish ? [] : [finding('currency', TEXTS('giro-currency'))]),
          ...found('receiverGiroNumber', receiver.errors),
          ...found('reference', reference.errors),
          ...(isSwedish ? amountFaults(amount, CURRENCY) : []),
          ...senderFaults({ senderAccountId, account, currency, isTransfer: false }),
        ],
        warnings: found('reference', reference.warnings),
      };
    },

    posting({ receiverGiroNumber = '', receiverName = '', amount = '', reference = '', referenceType }) {
      const isOcr = referenceType === 'OCR';
      return {
        type: 'unknown',
        title: receiverName,
        amount: parseMoney(amount, CURRENCY),
        creditor: { name: receiverName },
        ...(isOcr ? {} : { message: reference }),
        additionalInformation: {
          [NUMBER_KEYS[giro]]: writtenGiroNumber(receiverGiroNumber, giro),
          ...(isOcr ? { ocr: withoutSeparators(reference) } : {}),
        },
      };
    },
  };
}

function referenceVerdict({ reference, referenceType }: GiroFields): NumberVerdict {
  return reference === undefined || referenceType !== 'OCR' ? VALID : checkOcr(reference);
}

function found(path: string, texts: readonly Text[]): Finding[] {
  return texts.map((text) => finding(path, text));
}
