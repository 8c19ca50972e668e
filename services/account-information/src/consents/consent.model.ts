import type { Role } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Accounts that one consent opens. */
export const MAX_ACCOUNTS = 100;

/** Live consents of one user for one client; a further one revokes the oldest that the user gave. */
export const MAX_LIVE = 50;

/** Consents of one user for one client that have ended and are kept; the ones that ended first go. */
export const MAX_ENDED = 200;

/** Days for which a consent can be given. */
export const LONGEST_DAYS = 180;

/** Days for which a consent is kept that has ended. */
const RETENTION_DAYS = 180;

/** How far the clock of whoever asks may be ahead of ours. */
const SKEW_MS = 60_000;

/** A user's permission for a client to use accounts. */
export interface Consent {
  id: string;
  clientId: string;
  userId: string;
  /** Of type CHECKING, in the bank's order. */
  accountIds: string[];
  /** Sorted. */
  roles: Role[];
  grantedAt: Date;
  /** Absent: until it is revoked. */
  validUntil: Date | undefined;
  /** Absent: it was not revoked. */
  revokedAt: Date | undefined;
}

/** A requested consent; ids and roles sorted, each once. */
export interface ConsentRequest {
  id: string;
  clientId: string;
  userId: string;
  accountIds: readonly string[];
  roles: readonly Role[];
  validUntil: Date;
}

/** Whether a consent equals a request, ended or not. */
export function isRepetition(consent: Consent, asked: ConsentRequest): boolean {
  return (
    consent.clientId === asked.clientId &&
    consent.userId === asked.userId &&
    consent.validUntil?.getTime() === asked.validUntil.getTime() &&
    consent.accountIds.toSorted().join() === asked.accountIds.join() &&
    consent.roles.join() === asked.roles.join()
  );
}

/** Whether a consent that is given now may last until then: in the future, and at most 180 days ahead. */
export function isWithinReach(validUntil: Date, now: Date): boolean {
  const ahead = validUntil.getTime() - now.getTime();
  return ahead > 0 && ahead <= LONGEST_DAYS * DAY_MS + SKEW_MS;
}

/** The moment before which a consent must have ended to be kept no longer. */
export function retainedSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
}

/** The same for a consent that does not exist and for one of somebody else. */
export function consentUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('consent-unknown'));
}
