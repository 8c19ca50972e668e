import type { AccountNumber } from './account-number.ts';
import { OWN_NUMBERS } from './own-numbers.ts';

/** An account of a simulated user; amounts in minor units. */
export interface SandboxAccount {
  /** Names it in ids and in the histories. */
  key: string;
  name: string;
  type: 'CHECKING' | 'SAVINGS';
  currency: 'DKK' | 'SEK' | 'NOK';
  number: AccountNumber;
  /** Further fields: left out where a bank would not know them. */
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
export interface SandboxUser {
  key: string;
  name: string;
  /** Names the user where one is asked for; never changes. */
  loginHint: string;
  /** Absent: the bank does not say who owns the accounts. */
  ownerName?: string;
  accounts: readonly SandboxAccount[];
}

const pays = { supportsPayments: true, supportsTransfers: true };

/**
 * The simulated users of every simulated bank, in the order of their accounts (§Sandbox): each has accounts in DKK and in
 * SEK. docs/sandbox.md is written from this table.
 */
export const SANDBOX_USERS: readonly SandboxUser[] = [
  {
    key: 'freja',
    name: 'Freja Lindholm',
    loginHint: 'private-dk',
    ownerName: 'Freja Lindholm',
    accounts: [
      {
        key: 'freja-main',
        name: 'Lønkonto',
        type: 'CHECKING',
        currency: 'DKK',
        number: OWN_NUMBERS.frejaMain,
        swift: 'KOPODK20',
        usage: 'PRIVATE',
        creditLimit: 2_000_000n,
        ...pays,
        openingBalance: 1_845_075n,
      },
      {
        key: 'freja-budget',
        name: 'Budgetkonto',
        type: 'CHECKING',
        currency: 'DKK',
        number: OWN_NUMBERS.frejaBudget,
        swift: 'KOPODK20',
        usage: 'PRIVATE',
        supportsPayments: false,
        supportsTransfers: true,
        openingBalance: 920_000n,
      },
      {
        key: 'freja-savings',
        name: 'Opsparing',
        type: 'SAVINGS',
        currency: 'DKK',
        number: OWN_NUMBERS.frejaSavings,
        swift: 'KOPODK20',
        usage: 'PRIVATE',
        supportsPayments: false,
        supportsTransfers: false,
        openingBalance: 15_000_000n,
      },
      {
        key: 'freja-sek',
        name: 'Sverigekonto',
        type: 'CHECKING',
        currency: 'SEK',
        number: OWN_NUMBERS.frejaSek,
        swift: 'KOPOSE20',
        usage: 'PRIVATE',
        ...pays,
        openingBalance: 1_250_000n,
      },
    ],
  },
  {
    key: 'nordlys',
    name: 'Nordlys Møbler ApS',
    loginHint: 'business-dk',
    ownerName: 'Nordlys Møbler ApS',
    accounts: [
      {
        key: 'nordlys-business',
        name: 'Driftskonto',
        type: 'CHECKING',
        currency: 'DKK',
        number: OWN_NUMBERS.nordlys,
        swift: 'KOPODK20',
        usage: 'ORGANISATION',
        creditLimit: 25_000_000n,
        ...pays,
        openingBalance: 8_412_650n,
      },
      {
        key: 'nordlys-sek',
        name: 'Driftskonto SEK',
        type: 'CHECKING',
        currency: 'SEK',
        number: OWN_NUMBERS.nordlysSek,
        swift: 'KOPOSE20',
        usage: 'ORGANISATION',
        ...pays,
        openingBalance: 6_200_000n,
      },
    ],
  },
  {
    key: 'elsa',
    name: 'Elsa Bergström',
    loginHint: 'private-se',
    ownerName: 'Elsa Bergström',
    accounts: [
      {
        key: 'elsa-main',
        name: 'Privatkonto',
        type: 'CHECKING',
        currency: 'SEK',
        number: OWN_NUMBERS.elsa,
        swift: 'KOPOSE20',
        usage: 'PRIVATE',
        ...pays,
        openingBalance: 2_260_000n,
      },
      {
        key: 'elsa-dkk',
        name: 'Danmarkskonto',
        type: 'CHECKING',
        currency: 'DKK',
        number: OWN_NUMBERS.elsaDkk,
        swift: 'KOPODK20',
        usage: 'PRIVATE',
        ...pays,
        openingBalance: 780_000n,
      },
    ],
  },
  {
    key: 'fjallvik',
    name: 'Fjällvik Handel AB',
    loginHint: 'business-se',
    ownerName: 'Fjällvik Handel AB',
    accounts: [
      {
        key: 'fjallvik-business',
        name: 'Företagskonto',
        type: 'CHECKING',
        currency: 'SEK',
        number: OWN_NUMBERS.fjallvik,
        swift: 'KOPOSE20',
        usage: 'ORGANISATION',
        creditLimit: 10_000_000n,
        ...pays,
        openingBalance: 12_904_000n,
      },
      {
        key: 'fjallvik-dkk',
        name: 'Företagskonto DKK',
        type: 'CHECKING',
        currency: 'DKK',
        number: OWN_NUMBERS.fjallvikDkk,
        swift: 'KOPODK20',
        usage: 'ORGANISATION',
        ...pays,
        openingBalance: 4_100_000n,
      },
    ],
  },
  {
    key: 'joint',
    name: 'Ingrid Solberg',
    loginHint: 'private-no',
    accounts: [
      {
        key: 'joint-main',
        name: 'Felles konto',
        type: 'CHECKING',
        currency: 'NOK',
        number: OWN_NUMBERS.joint,
        hidesIban: true,
        ...pays,
        openingBalance: 1_507_300n,
      },
      {
        key: 'joint-dkk',
        name: 'Felles konto DKK',
        type: 'CHECKING',
        currency: 'DKK',
        number: OWN_NUMBERS.jointDkk,
        swift: 'KOPODK20',
        ...pays,
        openingBalance: 620_000n,
      },
      {
        key: 'joint-sek',
        name: 'Felles konto SEK',
        type: 'CHECKING',
        currency: 'SEK',
        number: OWN_NUMBERS.jointSek,
        swift: 'KOPOSE20',
        ...pays,
        openingBalance: 540_000n,
      },
    ],
  },
];
