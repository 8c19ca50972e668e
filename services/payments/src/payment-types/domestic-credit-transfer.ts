import { rule } from '@kontoport/errors';
import { line } from '@kontoport/http';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { domesticCreditTransferRules } from './domestic-credit-transfer.model.ts';

/** The row of domestic credit transfers (§4.4). */
export const domesticCreditTransfer = {
  ...domesticCreditTransferRules,
  title: 'domestic credit transfer',
  example: {
    receiverAccountBban: '00400440116243',
    receiverName: 'Havnens Boligforening',
    amount: '8250.00',
    currency: 'DKK',
    senderAccountId: '2f1d0f0a-6c1e-4c1b-9a52-0d5c3f6f7b10',
  },
  fields: z
    .strictObject({
      receiverAccountBban: line(40).meta({
        description:
          'Account number of the country whose currency it is; may be grouped by blanks, dots or dashes.',
      }),
      receiverName: line(140).meta({ description: 'Who gets the money.' }),
      amount: z
        .string()
        .regex(/^-?\d{1,15}(\.\d{1,15})?$/, rule(TEXTS('not-decimal')))
        .meta({ description: 'Decimal; positive, with no more decimals than the currency has.' }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, rule(TEXTS('not-currency')))
        .meta({ description: 'DKK, NOK or SEK.' }),
      senderAccountId: line(64).meta({ description: 'Id of the account that pays.' }),
    })
    .partial(),
};
