import { ApiError, type Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** What a client shows of itself at the token endpoint, beside its certificate. */
export interface ClientCredentials {
  clientId: string;
  /** Absent where the certificate alone is the proof (RFC 8705 §2.1). */
  shown?: ShownSecret;
}

/** A secret as it came. */
export interface ShownSecret {
  /** The Authorization header. */
  basic: string;
  /** The revision at which registration accepted its client, by this header and over this certificate. */
  provenAt: bigint | undefined;
  /** What the header says, read when it is asked for. */
  clientSecret: () => string;
}

/** When it is shown; `signal` is read where somebody has to be waited for. */
export interface AskedAt {
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** A request by client credentials (RFC 6749 §4.4.2) whose form is in order. */
export interface ClientCredentialsRequest {
  grantType: 'client_credentials';
  credentials: ClientCredentials;
  /** Undefined: all that can be granted. */
  requestedScopes: readonly string[] | undefined;
}

/** One that redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export interface CodeRequest {
  grantType: 'authorization_code';
  credentials: ClientCredentials;
  code: string;
  redirectUri: string;
  codeVerifier: string;
}

/** One that refreshes (RFC 6749 §6). */
export interface RefreshRequest {
  grantType: 'refresh_token';
  credentials: ClientCredentials;
  refreshToken: string;
  /** Undefined: all that the user authorized. */
  requestedScopes: readonly string[] | undefined;
}

/** A token request whose form is in order. */
export type TokenRequest = ClientCredentialsRequest | CodeRequest | RefreshRequest;

/** An access token and what its response says of it. */
export interface IssuedToken {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  scope: string;
  /** What comes with a token that a user authorized. */
  user?: { refreshToken: string; opened: OpenedAccounts };
}

/** What a user's consent opens (RFC 9396 §7). */
export interface OpenedAccounts {
  consentId: string;
  validUntil: Date;
  accounts: readonly { accountId: string; bban: string; currency: string }[];
}

/** The one answer to a code or refresh token that is none, is another's, has ended or was used (RFC 6749 §5.2). */
export function invalidGrant(): ApiError {
  return new ApiError('FORMAT_ERROR', TEXTS('grant-invalid'), { oauthError: 'invalid_grant' });
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
