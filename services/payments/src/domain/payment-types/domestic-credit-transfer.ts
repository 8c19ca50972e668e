import { typedNumber } from '@kontoport/http';
import { z } from 'zod';
import { domesticCreditTransferRules } from './domestic-credit-transfer.model.ts';
import { amount, currency, receiverName, senderAccountId } from './payment-fields.ts';

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
      receiverAccountBban: typedNumber(40).meta({
        description:
          'Domestic account number of the country of the currency. Blanks, dashes, dots and commas may group it.',
      }),
      receiverName,
      amount,
      currency: currency('DKK, NOK or SEK.'),
      senderAccountId,
    })
    .partial(),
};
