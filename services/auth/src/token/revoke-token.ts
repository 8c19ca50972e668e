import type { Verdict } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import type { AccessToken, VerifyAccessToken } from '@kontoport/gate';
import { call } from '@kontoport/grpc';
import {
  authenticateClient,
  type ClientAuthenticator,
} from '../client-authentication/authenticate-client.ts';
import type { CallContext, ClientCredentials } from '../client-authentication/client-credentials.model.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { readOpaqueToken } from '../domain/opaque-token.model.ts';
import { TEXTS } from '../texts.ts';
import { endTokenFamily, type FamilyEnder, PROPAGATION_DEADLINE_MS } from './end-token-family.ts';

/** Dependencies for revoking a token. */
export interface TokenRevoker extends ClientAuthenticator, FamilyEnder {
  authorizationKeys: AuthorizationKeys;
  /** Verifies with the signing keys of this service. */
  verifyAccessToken: VerifyAccessToken;
}

/**
 * Revokes a token of the calling client (RFC 7009, §4.1); returns when every service refuses it. A refresh token ends its whole
 * family. An invalid, expired or foreign token is ignored.
 * @throws ApiError invalid_client; RATE_LIMITED; UNAVAILABLE when the revocation may be incomplete
 */
export async function revokeToken(
  revoker: TokenRevoker,
  options: CallContext & {
    credentials: ClientCredentials;
    token: string;
    certificate: Verdict;
    requestId: string;
  },
): Promise<void> {
  const { registration, logger } = revoker;
  const { token, requestId, now, signal } = options;
  const { clientId } = await authenticateClient(revoker, options, options);
  const refreshToken = readOpaqueToken(revoker.authorizationKeys.opaqueTokens, 'refresh-token', token);
  if (refreshToken !== undefined) {
    const family = { id: refreshToken.authorizationId, clientId, now, signal };
    // A repeated request retries it.
    if (await endTokenFamily(revoker, { ...family, why: 'revoked' })) return;
    throw new ApiError('UNAVAILABLE', TEXTS('revocation-pending'));
  }
  const found = await findAccessToken(revoker, token, now);
  if (found?.clientId !== clientId) {
    logger.info({ clientId, outcome: 'not its token', requestId }, 'token revocation');
    return;
  }
  const { tokenId, expiresAt } = found;
  await call(
    registration,
    registration.revokeToken,
    { clientId, tokenId, expiresAt: BigInt(expiresAt) },
    { signal, deadlineMs: PROPAGATION_DEADLINE_MS },
  );
  logger.info({ clientId, outcome: 'revoked', requestId }, 'token revocation');
}

/** Verifies an access token; undefined for one that every service refuses already. */
async function findAccessToken(
  { verifyAccessToken }: TokenRevoker,
  token: string,
  now: Date,
): Promise<AccessToken | undefined> {
  try {
    return await verifyAccessToken(`Bearer ${token}`, now);
  } catch (error) {
    if (error instanceof ApiError && error.code !== 'UNAVAILABLE') return undefined;
    throw error;
  }
}
