import { rule } from '@kontoport/errors';
import { checkShape, uuid } from '@kontoport/http';
import { decimalsOf, formatMoney, MoneyFormatError } from '@kontoport/money';
import type { PutAccountRequest, PutAccountResponse } from '@kontoport/proto/accounts/v1';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { type AccountAmounts, type BankAccount, isIban } from './bank-account.model.ts';
import { amount, bic, issueAt, oneOf, text } from './entry.wire.ts';
import { LEDGER_TEXTS } from './texts.ts';

const putAccountRequest = z
  .object({
    accountId: uuid,
    userId: uuid,
    name: text(140).min(1, rule(TEXTS('empty'))),
    type: z.string().regex(/^[A-Z_]{1,32}$/, rule(LEDGER_TEXTS('not-account-type'))),
    currency: z.string(),
    bban: z.string().regex(/^[0-9]{4,34}$/, rule(LEDGER_TEXTS('not-account-number'))),
    iban: z.string().refine((given) => given === '' || isIban(given), rule(LEDGER_TEXTS('not-iban'))),
    swift: bic,
    creditLimit: amount
      .refine(({ minorUnits }) => minorUnits >= 0n, rule(LEDGER_TEXTS('not-negative')))
      .optional(),
    supportsPayments: z.boolean(),
    supportsTransfers: z.boolean(),
    ownerName: text(140),
    usage: oneOf(['PRIVATE', 'ORGANISATION']),
    position: z.number().int().max(32_767),
    openingBalance: amount.optional(),
    closed: z.boolean(),
  })
  .transform((given, context): BankAccount => {
    const { currency, creditLimit, openingBalance, iban, swift, ownerName, usage } = given;
    try {
      decimalsOf(currency);
    } catch (error) {
      if (!(error instanceof MoneyFormatError)) throw error;
      return issueAt(context, ['currency'], error.text);
    }
    for (const [field, money] of Object.entries({ creditLimit, openingBalance }))
      if (money !== undefined && money.currency !== currency)
        return issueAt(context, [field, 'currency'], TEXTS('must-be', { value: currency }));
    return {
      ...given,
      creditLimit,
      openingBalance,
      iban: orNone(iban),
      swift: orNone(swift),
      ownerName: orNone(ownerName),
      usage: usage === '' ? undefined : usage,
    };
  });

const orNone = (given: string): string | undefined => (given === '' ? undefined : given);

/** Reads an account from gRPC. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function readAccount(request: PutAccountRequest): BankAccount {
  return checkShape(putAccountRequest, request, 'body');
}

/** Answers with the amounts of the account. */
export function accountResponse(
  { accountId, currency }: BankAccount,
  { balance, reserved, available }: AccountAmounts,
): PutAccountResponse {
  const amountOf = (minorUnits: bigint) => ({ value: formatMoney({ minorUnits, currency }), currency });
  return {
    accountId,
    balance: amountOf(balance),
    reserved: amountOf(reserved),
    available: amountOf(available),
  };
}
