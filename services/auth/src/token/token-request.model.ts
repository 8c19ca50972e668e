import type { Verdict } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import type { ClientCredentials } from '../client-authentication/client-credentials.model.ts';
import { TEXTS } from '../texts.ts';

/** A valid request by client credentials (RFC 6749 §4.4.2). */
export interface ClientCredentialsRequest {
  grantType: 'client_credentials';
  credentials: ClientCredentials;
  /** Undefined: all scopes that can be granted. */
  requestedScopes: readonly string[] | undefined;
}

/** A valid request that redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export interface CodeRequest {
  grantType: 'authorization_code';
  credentials: ClientCredentials;
  code: string;
  redirectUri: string;
  codeVerifier: string;
}

/** A valid request by refresh token (RFC 6749 §6). */
export interface RefreshRequest {
  grantType: 'refresh_token';
  credentials: ClientCredentials;
  refreshToken: string;
  /** Undefined: all scopes that the user authorized. */
  requestedScopes: readonly string[] | undefined;
}

/** A valid token request. */
export type TokenRequest = ClientCredentialsRequest | CodeRequest | RefreshRequest;

/** A valid request with its accepted certificate and its id. */
export interface GrantRequest<Request> {
  request: Request;
  certificate: Verdict;
  requestId: string;
}

/** An access token with its response parameters. */
export interface IssuedToken {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
  scope: string;
  /** With a token that a user authorized. */
  user?: { refreshToken: string; opened: OpenedAccounts };
}

/** The accounts that a user's consent opens (RFC 9396 §7). */
export interface OpenedAccounts {
  consentId: string;
  validUntil: Date;
  accounts: readonly { accountId: string; bban: string; currency: string }[];
}

/** Refuses a code or refresh token. The answer is the same for an unknown, foreign, expired and used one (RFC 6749 §5.2). */
export function invalidGrant(): ApiError {
  return new ApiError('FORMAT_ERROR', TEXTS('grant-invalid'), { oauthError: 'invalid_grant' });
}
