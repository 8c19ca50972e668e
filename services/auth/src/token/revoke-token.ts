import type { Verdict } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import type { AccessToken, VerifyAccessToken } from '@kontoport/gate';
import { call } from '@kontoport/grpc';
import {
  authenticateClient,
  type ClientAuthenticator,
} from '../client-authentication/authenticate-client.ts';
import type { ClientCredentials } from '../client-authentication/client-credentials.model.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { readHandle } from '../domain/opaque-token.model.ts';
import { TEXTS } from '../texts.ts';
import { endTokenFamily, type FamilyEnder, PROPAGATION_DEADLINE_MS } from './end-token-family.ts';

/** What taking a token back needs. */
export interface TokenRevoker extends ClientAuthenticator, FamilyEnder {
  authorizationKeys: AuthorizationKeys;
  /** By the keys that sign here. */
  verifyAccessToken: VerifyAccessToken;
}

/**
 * Takes back a token of the client that calls (RFC 7009, §4.1); returns when no service takes it any more. A refresh token
 * takes its whole family with it. One that is none, has ended or is another client's is left as it is, in silence.
 * @throws ApiError invalid_client; RATE_LIMITED; UNAVAILABLE when it is not known whether the token is revoked.
 */
export async function revokeToken(
  revoker: TokenRevoker,
  options: {
    credentials: ClientCredentials;
    token: string;
    certificate: Verdict;
    requestId: string;
    now: Date;
    signal: AbortSignal;
  },
): Promise<void> {
  const { registration, logger } = revoker;
  const { token, requestId, now, signal } = options;
  const { clientId } = await authenticateClient(revoker, options, options);
  const handle = readHandle(revoker.authorizationKeys.handles, 'refresh-token', token);
  if (handle !== undefined) {
    const family = { id: handle.authorizationId, clientId, now, signal };
    // Told as it stands: whoever repeats the request has it tried again.
    if (await endTokenFamily(revoker, { ...family, why: 'revoked' })) return;
    throw new ApiError('UNAVAILABLE', TEXTS('revocation-pending'));
  }
  const found = await recognize(revoker, token, now);
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

/** The access token that this text is; undefined when it is none that any service would take. */
async function recognize(
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
