import { ApiError } from '@kontoport/errors';
import type { Money } from '@kontoport/money';
import { LEDGER_TEXTS } from './texts.ts';

/** An account as the bank stores it (§2.2). */
export interface BankAccount {
  accountId: string;
  userId: string;
  name: string;
  /** CHECKING, or another kind, which is never exposed (§1). */
  type: string;
  currency: string;
  bban: string;
  iban: string | undefined;
  swift: string | undefined;
  creditLimit: Money | undefined;
  supportsPayments: boolean;
  supportsTransfers: boolean;
  ownerName: string | undefined;
  usage: 'PRIVATE' | 'ORGANISATION' | undefined;
  position: number;
  /** Absent: unchanged; zero for a new account. */
  openingBalance: Money | undefined;
  closed: boolean;
}

/** Minor units of the account's currency. */
export interface AccountAmounts {
  balance: bigint;
  reserved: bigint;
  available: bigint;
}

/** The fields of an account that cannot change. */
export interface StoredAccount {
  userId: string;
  currency: string;
  /** Minor units. */
  openingBalance: bigint;
  /** Whether it has transactions. */
  used: boolean;
}

/**
 * Checks that an account keeps its user, who owns its consents, and, once it is used, its currency and opening balance,
 * from which its balances are computed.
 * @throws ApiError STATUS_INVALID, which names the fixed field
 */
export function requireUnchanged(stored: StoredAccount, asked: BankAccount): void {
  const opening = asked.openingBalance?.minorUnits ?? stored.openingBalance;
  const field =
    stored.userId !== asked.userId
      ? 'user_id'
      : stored.used && stored.currency !== asked.currency
        ? 'currency'
        : stored.used && stored.openingBalance !== opening
          ? 'opening_balance'
          : undefined;
  if (field !== undefined) throw new ApiError('STATUS_INVALID', LEDGER_TEXTS('account-kept', { field }));
}

/** Checks the check digits of an IBAN (ISO 7064, MOD 97-10). */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[0-9A-Z]{4,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replaceAll(
    /[A-Z]/g,
    (sign) => `${Number.parseInt(sign, 36)}`,
  );
  return BigInt(digits) % 97n === 1n;
}
