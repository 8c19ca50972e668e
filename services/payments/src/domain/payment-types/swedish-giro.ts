import { singleLineText, typedNumber } from '@kontoport/http';
import { z } from 'zod';
import { amount, currency, receiverName, senderAccountId } from './payment-fields.ts';
import { REFERENCE_TYPES, swedishGiroRules } from './swedish-giro.model.ts';

const example = {
  receiverName: 'Mälarvatten',
  amount: '412.00',
  currency: 'SEK',
  reference: '1234567897',
  referenceType: 'OCR',
  senderAccountId: '2f1d0f0a-6c1e-4c1b-9a52-0d5c3f6f7b10',
} as const;

/** @param number the form of a number of this giro, in words */
const fields = (number: string) =>
  z
    .strictObject({
      receiverGiroNumber: typedNumber(20).meta({ description: number }),
      receiverName,
      amount,
      currency: currency('SEK.'),
      reference: singleLineText(140).meta({
        description: 'With `OCR` 2 to 25 digits, which blanks may group; with `MESSAGE` one line of text.',
      }),
      referenceType: z.enum(REFERENCE_TYPES).meta({ description: 'The kind of `reference`.' }),
      senderAccountId,
    })
    .partial();

/** The row of bankgiro payments (§4.4). */
export const swedishBankGiro = {
  ...swedishGiroRules('bankgiro'),
  title: 'Swedish bankgiro payment',
  example: { receiverGiroNumber: '5050-1055', ...example },
  fields: fields('Bankgiro number of 7 or 8 digits; blanks or dashes may group it.'),
};

/** The row of plusgiro payments (§4.4). */
export const swedishPlusGiro = {
  ...swedishGiroRules('plusgiro'),
  title: 'Swedish plusgiro payment',
  example: { receiverGiroNumber: '4025906-1', ...example },
  fields: fields('Plusgiro number of 2 to 8 digits; blanks or dashes may group it.'),
};
