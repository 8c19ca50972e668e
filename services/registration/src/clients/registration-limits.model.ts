import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** Overdue rows are deleted within this time. */
const MIN_WAIT_SECONDS = 60;

/** Limits on the creations of an organization and of a client (§4.2). */
export interface RegistrationLimits {
  /** Live clients of an organization. */
  clients: number;
  /** Retained deleted clients of an organization. */
  deletedClients: number;
  /** Retention of a deleted client, milliseconds. */
  tombstoneMs: number;
  /** Registrations of an organization per minute, in the long run. */
  perMinute: number;
  /** Registrations of an organization at once, after a pause. */
  burst: number;
  /** Redirect URIs of a client. */
  redirectUris: number;
  /** Characters of all redirect URIs of a client. */
  redirectUriCharacters: number;
  /** Certificate chains of a client that have not ended. */
  certificateChains: number;
}

/** @throws ApiError STATUS_INVALID (409) when a client would have too many redirect URIs, or too long ones */
export function requireBoundedRedirects(uris: readonly string[], limits: RegistrationLimits): void {
  const { redirectUris, redirectUriCharacters } = limits;
  if (uris.length > redirectUris) throw overBound(TEXTS('redirects-too-many', { most: redirectUris }));
  const characters = uris.reduce((sum, uri) => sum + uri.length, 0);
  if (characters > redirectUriCharacters)
    throw overBound(TEXTS('redirects-too-long', { most: redirectUriCharacters }));
}

/** Refuses at the organization's limit of clients. Waiting does not help. */
export function tooManyClients({ clients }: RegistrationLimits): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('clients-too-many', { most: clients }));
}

/**
 * Refuses at the organization's limit of deleted clients, which every service stores.
 * @param oldest the time of the first of their deletions
 */
export function tooManyDeleted(
  limits: RegistrationLimits,
  { oldest, now }: { oldest: Date; now: Date },
): ApiError {
  const waitMs = oldest.getTime() + limits.tombstoneMs - now.getTime();
  const seconds = Math.max(MIN_WAIT_SECONDS, Math.ceil(waitMs / 1_000));
  return new ApiError('RATE_LIMITED', TEXTS('deleted-too-many', { most: limits.deletedClients, seconds }), {
    retryAfterSeconds: seconds,
  });
}

/** Refuses at the client's limit of live certificates. */
export function tooManyChains({ certificateChains }: RegistrationLimits): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('chains-too-many', { most: certificateChains }));
}

/** Refuses an organization that registers too often. */
export function tooManyRegistrations(retryAfterSeconds: number): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS('registrations-too-many', { seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/**
 * Returns the stored form of a rate: every registration moves the time at which the whole allowance is available again by
 * `stepMs`, and none may begin while that time is more than `aheadMs` ahead.
 */
export function paceOf({ perMinute, burst }: RegistrationLimits): { stepMs: number; aheadMs: number } {
  const stepMs = 60_000 / perMinute;
  return { stepMs, aheadMs: (burst - 1) * stepMs };
}

function overBound(text: Text): ApiError {
  return new ApiError('STATUS_INVALID', text, { details: [{ path: 'redirectUris', text }] });
}
