import { ApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import type { Consent } from '@kontoport/proto/accounts/v1';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import type { CallContext } from '../client-authentication/client-credentials.model.ts';
import { readOpaqueToken } from '../domain/opaque-token.model.ts';
import { PROFILES } from '../domain/profile.model.ts';
import { endTokenFamily } from './end-token-family.ts';
import { grantScopes } from './scope.model.ts';
import type { TokenFamily } from './token-family.model.ts';
import { findFamily, refreshFamily } from './token-family.repository.ts';
import { LEAST_CONSENT_MS } from './token-lifetime.model.ts';
import {
  type GrantRequest,
  invalidGrant,
  type IssuedToken,
  type RefreshRequest,
} from './token-request.model.ts';
import { issueUserToken, planUserToken, type TokenConsent, type UserTokenIssuer } from './user-token.ts';

/**
 * Issues another access token under a consent (RFC 6749 §6, §5.9), and the next refresh token where they rotate. The previous
 * refresh token stays valid for half a minute over the same certificate, for lost answers and concurrent requests. Any other
 * reuse ends the family.
 * @throws ApiError invalid_client, invalid_grant, invalid_scope; RATE_LIMITED; UNAVAILABLE, which changes nothing
 */
export async function refreshToken(
  issuer: UserTokenIssuer,
  { request, certificate, requestId }: GrantRequest<RefreshRequest>,
  context: CallContext,
): Promise<IssuedToken> {
  const { now, signal } = context;
  const { credentials } = request;
  const client = await authenticateClient(issuer, { credentials, certificate }, context);
  const { clientId } = client;
  const { opaqueTokens } = issuer.authorizationKeys;
  const token = readOpaqueToken(opaqueTokens, 'refresh-token', request.refreshToken);
  const family = token && (await findFamily(issuer.db.prisma, { id: token.authorizationId, clientId }));
  if (token === undefined || family === undefined || family.endedAt !== null) throw invalidGrant();
  const consent = await liveConsent(issuer, { family, now, signal });
  const scopes = grantScopes({
    requested: request.requestedScopes,
    clientRoles: client.roles.filter((role) => family.roles.some((given) => given === role)),
    certificateRoles: certificate.roles,
  });
  const { id } = family;
  const asked = { familyId: id, consent, scopes, certificate, requestId, now, signal };
  const plan = await planUserToken(issuer, asked);
  const generation = await refreshFamily(issuer.db, {
    id,
    clientId,
    generation: token.generation,
    thumbprint: certificate.thumbprint,
    rotate: PROFILES[issuer.profile].refreshTokensRotate,
    accessUntil: plan.accessUntil,
    now,
  });
  if (generation === undefined) {
    await endTokenFamily(issuer, { id, clientId, now, signal, why: 'refresh token reused' });
    throw invalidGrant();
  }
  return issueUserToken(issuer, plan, { familyId: id, generation });
}

/** Finds the consent of a family. An ended consent ends the family. @throws ApiError invalid_grant when it has ended */
async function liveConsent(
  issuer: UserTokenIssuer,
  { family, now, signal }: { family: TokenFamily; now: Date; signal: AbortSignal },
): Promise<TokenConsent> {
  const { id, clientId, expiresAt: validUntil } = family;
  const consent = await findConsent(issuer, { family, signal });
  const isLive = consent !== undefined && consent.revokedAt === undefined;
  if (isLive && validUntil.getTime() >= now.getTime() + LEAST_CONSENT_MS) return { ...consent, validUntil };
  await endTokenFamily(issuer, { id, clientId, now, signal, why: 'consent ended' });
  throw invalidGrant();
}

async function findConsent(
  { consents }: UserTokenIssuer,
  { family, signal }: { family: TokenFamily; signal: AbortSignal },
): Promise<Consent | undefined> {
  const { consentId, clientId } = family;
  try {
    return (await call(consents, consents.getConsent, { consentId, clientId }, { signal })).consent;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
