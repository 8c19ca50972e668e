import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** What a client shows of itself at the token endpoint. */
export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

/** A token request whose form is in order. */
export interface TokenRequest {
  credentials: ClientCredentials;
  /** Undefined: all that can be granted. */
  requestedScopes: readonly string[] | undefined;
}

/** An access token and what its response says of it. */
export interface IssuedToken {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  scope: string;
}

/** The one answer to wrong credentials, whichever part is wrong. */
export function refusedCredentials(): ApiError {
  return invalidClient(TEXTS('credentials-refused'));
}

/** Too many of them; the right ones are not looked at either, so that nobody learns which they are. */
export function tooManyWrongSecrets(retryAfterSeconds: number): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS('secrets-too-many', { seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/** Too many of them over the certificates of one organization; only what was accepted before is, as long as it holds. */
export function tooManyWrongSecretsOfAll(retryAfterSeconds: number): ApiError {
  return new ApiError('RATE_LIMITED', TEXTS('secrets-of-all-too-many', { seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

/** A refusal at the token endpoint (RFC 6749 §5.2). */
export function invalidClient(text: Text): ApiError {
  return new ApiError('CLIENT_UNKNOWN', text, { status: 401, oauthError: 'invalid_client' });
}
