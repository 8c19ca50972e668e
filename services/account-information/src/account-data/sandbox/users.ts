import type { AccountNumber } from './account-number.ts';
import { ESTATE_ACCOUNTS, OWN_NUMBERS } from './own-numbers.ts';

/** An account of a simulated user; amounts in minor units. */
export interface SandboxAccount {
  /** Identifies it in ids and in the histories. */
  key: string;
  name: string;
  type: 'CHECKING' | 'SAVINGS';
  currency: 'DKK' | 'SEK' | 'NOK';
  number: AccountNumber;
  /** Further fields: absent where a bank would not know them. */
  swift?: string;
  usage?: 'PRIVATE' | 'ORGANISATION';
  hidesIban?: true;
  creditLimit?: bigint;
  supportsPayments: boolean;
  supportsTransfers: boolean;
  /** Balance before the first transaction of the history. */
  openingBalance: bigint;
}

/** A simulated user of the bank. */
interface SandboxUser {
  key: string;
  name: string;
  /** Identifies the user in a request; never changes. */
  loginHint: string;
  /** Absent: the bank does not disclose the owner of the accounts. */
  ownerName?: string;
  accounts: readonly SandboxAccount[];
  /** Keys of accounts of another user that this user owns jointly. */
  jointAccounts?: readonly string[];
  /** Refuses every consent: the sandbox grants none by itself, and `prompt=none` answers `access_denied`. */
  refusesConsent?: true;
}

const SWIFT = { DKK: 'KOPODK20', SEK: 'KOPOSE20', NOK: undefined };

/** A checking account for payments and transfers, unless `more` overrides that. */
const account = (
  key: keyof typeof OWN_NUMBERS,
  name: string,
  currency: SandboxAccount['currency'],
  openingBalance: bigint,
  more: Partial<SandboxAccount> = {},
): SandboxAccount => ({
  key,
  name,
  type: 'CHECKING',
  currency,
  number: OWN_NUMBERS[key],
  ...(SWIFT[currency] && { swift: SWIFT[currency] }),
  supportsPayments: true,
  supportsTransfers: true,
  openingBalance,
  ...more,
});

/**
 * The simulated users of every simulated bank, in the order of their accounts (§Sandbox). Each has accounts in DKK and in
 * SEK. docs/sandbox.md is generated from this table.
 */
export const SANDBOX_USERS: readonly SandboxUser[] = [
  {
    key: 'freja',
    name: 'Freja Lindholm',
    loginHint: 'private-dk',
    ownerName: 'Freja Lindholm',
    accounts: [
      account('freja-main', 'Lønkonto', 'DKK', 1_845_075n, { usage: 'PRIVATE', creditLimit: 2_000_000n }),
      account('freja-budget', 'Budgetkonto', 'DKK', 920_000n, { usage: 'PRIVATE', supportsPayments: false }),
      account('freja-savings', 'Opsparing', 'DKK', 15_000_000n, {
        type: 'SAVINGS',
        usage: 'PRIVATE',
        supportsPayments: false,
        supportsTransfers: false,
      }),
      account('freja-sek', 'Sverigekonto', 'SEK', 1_250_000n, { usage: 'PRIVATE' }),
    ],
  },
  {
    key: 'nordlys',
    name: 'Nordlys Møbler ApS',
    loginHint: 'business-dk',
    ownerName: 'Nordlys Møbler ApS',
    accounts: [
      account('nordlys-business', 'Driftskonto', 'DKK', 8_412_650n, {
        usage: 'ORGANISATION',
        creditLimit: 25_000_000n,
      }),
      account('nordlys-sek', 'Driftskonto SEK', 'SEK', 6_200_000n, { usage: 'ORGANISATION' }),
    ],
  },
  {
    key: 'elsa',
    name: 'Elsa Bergström',
    loginHint: 'private-se',
    ownerName: 'Elsa Bergström',
    accounts: [
      account('elsa-main', 'Privatkonto', 'SEK', 2_260_000n, { usage: 'PRIVATE' }),
      account('elsa-dkk', 'Danmarkskonto', 'DKK', 780_000n, { usage: 'PRIVATE' }),
    ],
  },
  {
    key: 'fjallvik',
    name: 'Fjällvik Handel AB',
    loginHint: 'business-se',
    ownerName: 'Fjällvik Handel AB',
    accounts: [
      account('fjallvik-business', 'Företagskonto', 'SEK', 12_904_000n, {
        usage: 'ORGANISATION',
        creditLimit: 10_000_000n,
      }),
      account('fjallvik-dkk', 'Företagskonto DKK', 'DKK', 4_100_000n, { usage: 'ORGANISATION' }),
    ],
  },
  {
    key: 'joint',
    name: 'Ingrid Solberg',
    loginHint: 'private-no',
    accounts: [
      account('joint-main', 'Felles konto', 'NOK', 1_507_300n, { hidesIban: true }),
      account('joint-dkk', 'Felles konto DKK', 'DKK', 620_000n),
      account('joint-sek', 'Felles konto SEK', 'SEK', 540_000n),
    ],
  },
  {
    key: 'partner',
    name: 'Eirik Solberg',
    loginHint: 'joint-no',
    accounts: [],
    jointAccounts: ['joint-main', 'joint-dkk', 'joint-sek'],
  },
  {
    key: 'overdrawn',
    name: 'Viggo Storm',
    loginHint: 'overdrawn-dk',
    ownerName: 'Viggo Storm',
    accounts: [
      account('overdrawn-main', 'Overtrukket konto', 'DKK', 158_550n, { usage: 'PRIVATE' }),
      account('overdrawn-sek', 'Svenskt konto', 'SEK', 400_000n, { usage: 'PRIVATE' }),
    ],
  },
  {
    key: 'empty',
    name: 'Asta Nygaard',
    loginHint: 'empty-dk',
    ownerName: 'Asta Nygaard',
    accounts: [
      account('empty-main', 'Ny konto', 'DKK', 0n, { usage: 'PRIVATE' }),
      account('empty-sek', 'Nytt konto', 'SEK', 0n, { usage: 'PRIVATE' }),
    ],
  },
  {
    key: 'estate',
    name: 'Ejendomme Holm ApS',
    loginHint: 'many-dk',
    ownerName: 'Ejendomme Holm ApS',
    accounts: [
      ...ESTATE_ACCOUNTS.map((key, index) =>
        account(key, `Ejendom ${index + 1}`, 'DKK', 3_000_000n, { usage: 'ORGANISATION' }),
      ),
      account('estate-sek', 'Fastighet i Malmö', 'SEK', 2_500_000n, { usage: 'ORGANISATION' }),
    ],
  },
  {
    key: 'declining',
    name: 'Nanna Holm',
    loginHint: 'declining-dk',
    ownerName: 'Nanna Holm',
    refusesConsent: true,
    accounts: [
      account('declining-main', 'Privat konto', 'DKK', 1_120_000n, { usage: 'PRIVATE' }),
      account('declining-sek', 'Privat konto SEK', 'SEK', 860_000n, { usage: 'PRIVATE' }),
    ],
  },
  {
    key: 'heavy',
    name: 'Havnekiosken ApS',
    loginHint: 'heavy-dk',
    ownerName: 'Havnekiosken ApS',
    accounts: [
      account('heavy-main', 'Kassekonto', 'DKK', 2_500_000n, { usage: 'ORGANISATION' }),
      account('heavy-sek', 'Kassakonto', 'SEK', 900_000n, { usage: 'ORGANISATION' }),
    ],
  },
];
