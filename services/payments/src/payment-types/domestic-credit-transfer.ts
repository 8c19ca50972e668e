import { rule } from '@kontoport/errors';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { domesticCreditTransferRules } from './domestic-credit-transfer.model.ts';
import { line } from './line.ts';

/** The row of domestic credit transfers (§4.4). */
export const domesticCreditTransfer = {
  ...domesticCreditTransferRules,
  title: 'domestic credit transfer',
  fields: z
    .strictObject({
      receiverAccountBban: line(40),
      receiverName: line(140),
      amount: z.string().regex(/^-?\d{1,15}(\.\d{1,15})?$/, rule(TEXTS('not-decimal'))),
      currency: z.string().regex(/^[A-Z]{3}$/, rule(TEXTS('not-currency'))),
      senderAccountId: line(64),
    })
    .partial(),
};
