import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** An account (§2.2); amounts in minor units of `currency`. */
export interface Account {
  id: string;
  /** Whose account it is: a UUID. */
  userId: string;
  name: string;
  type: string;
  currency: string;
  bban: string;
  iban: string | null;
  swift: string | null;
  balance: bigint;
  reserved: bigint;
  available: bigint;
  creditLimit: bigint | null;
  supportsPayments: boolean;
  supportsTransfers: boolean;
  ownerName: string | null;
  usage: string | null;
}

/** The same for an account that does not exist and for one that is not the caller's (§4.3). */
export function accountUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('account-unknown'));
}
