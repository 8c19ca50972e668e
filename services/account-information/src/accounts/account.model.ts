import type { Role } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** An account (§2.2); amounts in minor units of `currency`. */
export interface Account {
  id: string;
  /** UUID of its user. */
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

/** Refuses an unknown or foreign account, with the same error (§4.3). */
export function accountUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('account-unknown'));
}

/** The caller of a read, and its purpose (ADR-0018). */
export interface Caller {
  clientId: string;
  /** The consent of an authorization-code token; absent: all live consents of the client. */
  consentId?: string | undefined;
  /** The route's role, which the consent must include. */
  role: Role;
}

declare const present: unique symbol;

/** A caller whose accounts exist: the result of `AccountData.ensure`, which every read requires. */
export type Present<Who extends { clientId: string }> = Who & { readonly [present]: true };

export type PresentCaller = Present<Caller>;

/** A client, without a role. */
export type PresentClient = Present<{ clientId: string }>;

/** The caller of a route that requires the role. */
export function callerOf(token: Omit<Caller, 'role'>, role: Role): Caller {
  return { clientId: token.clientId, consentId: token.consentId, role };
}

/** Source of a caller's accounts; the environment selects one at start-up. */
export interface AccountData {
  /** Creates the client's accounts unless they exist; synchronous for a known client. Every read requires its result. */
  ensure<Who extends { clientId: string }>(who: Who): Present<Who> | Promise<Present<Who>>;
}
