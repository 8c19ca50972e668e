import type { Role } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Accounts that one consent opens. */
export const MAX_ACCOUNTS = 100;

/** Live consents of one user for one client. A further one revokes the oldest that the user gave. */
export const MAX_LIVE = 50;

/** Retained ended consents of one user for one client. Beyond it, the earliest ended ones are deleted. */
export const MAX_ENDED = 200;

/** Longest duration of a consent in days. */
export const LONGEST_DAYS = 180;

/** Days for which an ended consent is retained. */
const RETENTION_DAYS = 180;

/** Tolerated clock skew of the calling service. */
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

/** Whether a consent, live or ended, equals a request. */
export function isRepetition(consent: Consent, asked: ConsentRequest): boolean {
  return (
    consent.clientId === asked.clientId &&
    consent.userId === asked.userId &&
    consent.validUntil?.getTime() === asked.validUntil.getTime() &&
    consent.accountIds.toSorted().join() === asked.accountIds.join() &&
    consent.roles.join() === asked.roles.join()
  );
}

/** Whether a consent given now may end at `validUntil`: in the future, and at most 180 days ahead. */
export function isWithinReach(validUntil: Date, now: Date): boolean {
  const ahead = validUntil.getTime() - now.getTime();
  return ahead > 0 && ahead <= LONGEST_DAYS * DAY_MS + SKEW_MS;
}

/** Returns the start of the retention period. Consents that ended earlier are deleted. */
export function retainedSince(now: Date): Date {
  return new Date(now.getTime() - RETENTION_DAYS * DAY_MS);
}

/** Refuses an unknown consent and another user's with the same error. */
export function consentUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('consent-unknown'));
}
