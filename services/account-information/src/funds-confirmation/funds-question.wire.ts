import { ApiError, fault, type Text } from '@kontoport/errors';
import { checkShape, uuid } from '@kontoport/http';
import { type Money, MoneyFormatError, parseMoney } from '@kontoport/money';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';

const ACCOUNT = 'The account to check.';
const CURRENCY = 'The currency of the account; ISO 4217, three letters.';
const AMOUNT = 'More than zero, with no more decimals than the currency has.';

/** Reads the amount of a question; faults are reported at their fields. */
function readAmount(
  { accountId, amount, currency }: { accountId: string; amount: string | number; currency: string },
  context: z.RefinementCtx,
): { accountId: string; amount: Money } {
  const issue = (field: 'amount' | 'currency', text: Text): never => {
    context.addIssue({ code: 'custom', path: [field], ...fault(text) });
    return z.NEVER;
  };
  try {
    const money = parseMoney(String(amount), currency);
    return money.minorUnits > 0n ? { accountId, amount: money } : issue('amount', TEXTS('not-positive'));
  } catch (error) {
    if (!(error instanceof MoneyFormatError)) throw error;
    return issue('amount', error.text);
  }
}

/** The body of a funds confirmation (§2.13). */
export const fundsBody = z
  .strictObject({
    accountId: uuid.meta({ description: ACCOUNT }),
    amount: z.number().meta({ description: AMOUNT }),
    currency: z.string().meta({ description: CURRENCY }),
  })
  .transform(readAmount);

/** The same question in the query of a GET without a body (§4.3). */
export const fundsQuery = z.strictObject({
  accountId: uuid.optional().meta({ description: ACCOUNT }),
  amount: z
    .string()
    .optional()
    // The OpenAPI document describes digits in a query as a number.
    .meta({ description: AMOUNT, override: { type: 'number' } }),
  currency: z.string().optional().meta({ description: CURRENCY }),
});

const wholeQuery = z
  .strictObject({ accountId: uuid, amount: z.string(), currency: z.string() })
  .transform(readAmount);

export const fundsAnswer = z
  .object({
    fundsAvailable: z
      .boolean()
      .meta({ description: 'Whether balance plus credit limit minus reserved amount covers the amount.' }),
  })
  .meta({ id: 'FundsConfirmation' });

export const fundsBodyExample: z.input<typeof fundsBody> = {
  accountId: '8c5304e2-96e4-5551-b4af-bc6c60e97825',
  amount: 249.95,
  currency: 'DKK',
};

export const fundsAnswerExample: z.input<typeof fundsAnswer> = { fundsAvailable: true };

/** The question whether an account has funds for an amount. */
export interface FundsQuestion {
  accountId: string;
  amount: Money;
  /** Prefix of field names in faults. */
  place: '' | 'query.';
}

/** Reads the question from the body or from the query. @throws ApiError FORMAT_ERROR, also when both contain one. */
export function readFundsQuestion(
  query: z.output<typeof fundsQuery> | undefined,
  body: z.output<typeof fundsBody> | undefined,
): FundsQuestion {
  if (body === undefined) return { ...checkShape(wholeQuery, query, 'query'), place: 'query.' };
  const inQuery = Object.values(query ?? {}).some((value) => value !== undefined);
  if (inQuery) throw new ApiError('FORMAT_ERROR', TEXTS('body-or-query'));
  return { ...body, place: '' };
}
