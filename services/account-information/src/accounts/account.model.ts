import type { Role } from '@kontoport/certificates';
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

/** On whose behalf accounts are read, and what for (ADR-0018). */
export interface Caller {
  clientId: string;
  /** The one consent under which an authorization-code token acts; absent: all live consents of the client. */
  consentId?: string | undefined;
  /** Of the route: consents that do not carry it open nothing. */
  role: Role;
}

declare const present: unique symbol;

/** Somebody whose accounts are there to be read: what `AccountData.ensure` returns, and every read asks for. */
export type Present<Who extends { clientId: string }> = Who & { readonly [present]: true };

export type PresentCaller = Present<Caller>;

/** A client, whatever it wants with its accounts. */
export type PresentClient = Present<{ clientId: string }>;

/** The caller of a token on a route that demands the role. */
export function callerOf(token: Omit<Caller, 'role'>, role: Role): Caller {
  return { clientId: token.clientId, consentId: token.consentId, role };
}

/** Where the accounts of a caller come from; the environment chooses one at start-up. */
export interface AccountData {
  /** Sees to it that what the client may use is there, at once where it is known to be. No read takes anybody who did not come through here. */
  ensure<Who extends { clientId: string }>(who: Who): Present<Who> | Promise<Present<Who>>;
}
