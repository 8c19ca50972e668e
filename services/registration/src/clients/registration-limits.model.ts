import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** Overdue rows are deleted within this time. */
const MIN_WAIT_SECONDS = 60;

/** How much an organization and a client may create (§4.2). */
export interface RegistrationLimits {
  /** Live clients of an organization. */
  clients: number;
  /** Deleted clients of an organization of which something is kept. */
  deletedClients: number;
  /** How long that is kept, milliseconds. */
  tombstoneMs: number;
  /** Registrations of an organization in a minute, in the long run. */
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

/** @throws ApiError STATUS_INVALID (409) when a client would have more redirect URIs than it may, or longer ones */
export function requireBoundedRedirects(uris: readonly string[], limits: RegistrationLimits): void {
  const { redirectUris, redirectUriCharacters } = limits;
  if (uris.length > redirectUris) throw overBound(TEXTS('redirects-too-many', { most: redirectUris }));
  const characters = uris.reduce((sum, uri) => sum + uri.length, 0);
  if (characters > redirectUriCharacters)
    throw overBound(TEXTS('redirects-too-long', { most: redirectUriCharacters }));
}

/** The organization has as many clients as it may have: waiting does not help. */
export function tooManyClients({ clients }: RegistrationLimits): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('clients-too-many', { most: clients }));
}

/**
 * The organization has deleted so many clients that what is left of them is all that may be kept: every service holds it.
 * @param oldest when the first of them was deleted
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

/** The client has as many live certificates as it may have. */
export function tooManyChains({ certificateChains }: RegistrationLimits): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('chains-too-many', { most: certificateChains }));
}

/** The organization registers too often. */
export function tooManyRegistrations(retryAfterSeconds: number): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS('registrations-too-many', { seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/**
 * A rate as it is kept: every registration moves the moment at which the whole allowance is at hand again by `stepMs`, and
 * none may begin while that moment is more than `aheadMs` ahead.
 */
export function paceOf({ perMinute, burst }: RegistrationLimits): { stepMs: number; aheadMs: number } {
  const stepMs = 60_000 / perMinute;
  return { stepMs, aheadMs: (burst - 1) * stepMs };
}

function overBound(text: Text): ApiError {
  return new ApiError('STATUS_INVALID', text, { details: [{ path: 'redirectUris', text }] });
}
