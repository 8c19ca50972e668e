/** A user of the example bank. The names are made up. A real bank authenticates in its own way. */
export interface BankUser {
  userId: string;
  name: string;
  /** The secret that the user knows. */
  code: string;
}

/** An account, as LedgerService receives it. */
export interface BankAccount {
  accountId: string;
  userId: string;
  name: string;
  type: 'CHECKING' | 'SAVINGS';
  currency: string;
  bban: string;
  openingBalance: string;
}

export const USERS: readonly BankUser[] = [
  { userId: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a1001', name: 'Freja Holm', code: '1841' },
  { userId: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a1002', name: 'Erik Lindqvist', code: '2752' },
];

const [freja, erik] = USERS as readonly [BankUser, BankUser];

export const ACCOUNTS: readonly BankAccount[] = [
  {
    accountId: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a2001',
    userId: freja.userId,
    name: 'Lønkonto',
    type: 'CHECKING',
    currency: 'DKK',
    bban: '00400440116243',
    openingBalance: '25000.00',
  },
  {
    accountId: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a2002',
    userId: freja.userId,
    name: 'Opsparing',
    type: 'SAVINGS',
    currency: 'DKK',
    bban: '00400440116278',
    openingBalance: '180000.00',
  },
  {
    accountId: '5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a2003',
    userId: erik.userId,
    name: 'Privatkonto',
    type: 'CHECKING',
    currency: 'SEK',
    bban: '50001234560',
    openingBalance: '42000.00',
  },
];

/** Finds a user by id. */
export function findUser(userId: string): BankUser | undefined {
  return USERS.find((user) => user.userId === userId);
}
