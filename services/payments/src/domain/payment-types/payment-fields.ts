import { rule } from '@kontoport/errors';
import { singleLineText } from '@kontoport/http';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';

/** The form of the fields that several payment types have (§2.10). */

export const receiverName = singleLineText(140).meta({ description: 'The name of the payee.' });

export const amount = z
  .string()
  .regex(/^-?\d{1,15}(\.\d{1,15})?$/, rule(TEXTS('not-decimal')))
  .meta({ description: 'Decimal; positive, with no more decimals than the currency has.' });

/** @param which the accepted ones, in words */
export const currency = (which: string) =>
  z
    .string()
    .regex(/^[A-Z]{3}$/, rule(TEXTS('not-currency')))
    .meta({ description: which });

export const senderAccountId = singleLineText(64).meta({ description: 'Id of the account that pays.' });
