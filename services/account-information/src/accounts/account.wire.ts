import { z } from 'zod';
import { type Exact, exactAmount } from '../amount.wire.ts';
import type { Account } from './account.model.ts';

const amount = z.number();

/** An account (§2.2); unknown fields are absent. */
const accountAnswer = z
  .object({
    id: z.guid().meta({ description: 'Identifies the account in all other calls.' }),
    name: z.string().meta({ description: 'A name for people.' }),
    currency: z.string().meta({ description: 'ISO 4217, three letters.' }),
    bban: z.string().meta({ description: 'The domestic account number.' }),
    iban: z.string().optional().meta({ description: 'The international account number.' }),
    swift: z.string().optional().meta({ description: "The bank's SWIFT/BIC code." }),
    balanceAmount: amount.meta({ description: 'The booked balance.' }),
    balanceReservedAmount: amount.meta({
      description: 'The amount held for transactions that are not settled.',
    }),
    balanceAvailableAmount: amount.meta({ description: 'Balance plus credit limit minus reserved amount.' }),
    creditLimitAmount: amount.optional().meta({ description: 'The granted credit, if there is one.' }),
    type: z.string().meta({ description: 'CHECKING; no other type is shown.' }),
    supportsPayments: z.boolean().meta({ description: 'Whether payments may start from this account.' }),
    supportsTransfers: z
      .boolean()
      .meta({ description: 'Whether credit transfers may start from this account.' }),
    ownerName: z.string().optional().meta({ description: "The owner's full name." }),
    usage: z
      .enum(['PRIVATE', 'ORGANISATION'])
      .optional()
      .meta({ description: 'The kind of owner; absent when it is unknown.' }),
  })
  .meta({
    id: 'Account',
    description: 'An account (§2.2); its amounts have exactly the decimals of its currency.',
  });

/** Answer to `GET /accounts` (§4.3). */
export const accountsAnswer = z
  .object({
    accounts: z.array(accountAnswer).meta({ description: 'The accounts; empty without any consent.' }),
  })
  .meta({ id: 'Accounts' });

type AccountUsage = z.input<typeof accountAnswer>['usage'];

/** The account as a TPP sees it (§2.2). */
export function accountToWire(account: Account): Exact<z.input<typeof accountAnswer>> {
  const { id, name, currency, bban, iban, swift, creditLimit, type, ownerName, usage } = account;
  const { supportsPayments, supportsTransfers } = account;
  return {
    id,
    name,
    currency,
    bban,
    ...(iban === null ? {} : { iban }),
    ...(swift === null ? {} : { swift }),
    balanceAmount: exactAmount(account.balance, currency),
    balanceReservedAmount: exactAmount(account.reserved, currency),
    balanceAvailableAmount: exactAmount(account.available, currency),
    ...(creditLimit === null ? {} : { creditLimitAmount: exactAmount(creditLimit, currency) }),
    type,
    supportsPayments,
    supportsTransfers,
    ...(ownerName === null ? {} : { ownerName }),
    // A constraint of the database allows no other value.
    ...(usage === null ? {} : { usage: usage as AccountUsage }),
  };
}

export const accountsExample: z.input<typeof accountsAnswer> = {
  accounts: [
    {
      id: '8c5304e2-96e4-5551-b4af-bc6c60e97825',
      name: 'Lønkonto',
      currency: 'DKK',
      bban: '66950001234567',
      iban: 'DK5366950001234567',
      swift: 'KOPODK20',
      balanceAmount: 18342.75,
      balanceReservedAmount: 249.95,
      balanceAvailableAmount: 28092.8,
      creditLimitAmount: 10000,
      type: 'CHECKING',
      supportsPayments: true,
      supportsTransfers: true,
      ownerName: 'Freja Lindholm',
      usage: 'PRIVATE',
    },
  ],
};
