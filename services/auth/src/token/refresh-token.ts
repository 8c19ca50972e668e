import { randomBytes } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import type { Consent } from '@kontoport/proto/accounts/v1';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import {
  type AskedAt,
  invalidGrant,
  type IssuedToken,
  type RefreshRequest,
} from '../client-authentication/client-credentials.model.ts';
import { handleText, readHandle } from '../domain/opaque-token.model.ts';
import { PROFILES } from '../domain/profile.model.ts';
import { endTokenFamily } from './end-token-family.ts';
import type { Asked } from './grant.ts';
import { LEAST_MS } from './redeem-code.ts';
import { grantScopes } from './scope.model.ts';
import { lifetimeOf, signToken } from './sign-token.ts';
import { accessTokenId, subjectOf, type TokenFamily } from './token-family.model.ts';
import { findFamily, refreshFamily } from './token-family.repository.ts';
import { openedAccounts, type UserTokenIssuer } from './user-token.ts';

/**
 * Gives another access token under a consent (RFC 6749 §6, §5.9), and the next refresh token where they rotate. The one
 * before the newest is good for half a minute more, over the same certificate: an answer may have been lost, and several
 * may have asked at once. Any other that was used ends the family.
 * @throws ApiError invalid_client, invalid_grant, invalid_scope; RATE_LIMITED; UNAVAILABLE, and then nothing has changed.
 */
export async function refreshToken(
  issuer: UserTokenIssuer,
  { request, certificate, requestId }: Asked<RefreshRequest>,
  { now, signal }: AskedAt,
): Promise<IssuedToken> {
  const { credentials } = request;
  const client = await authenticateClient(issuer, { credentials, certificate }, { now, signal });
  const { clientId } = client;
  const { handles, subjects } = issuer.authorizationKeys;
  const handle = readHandle(handles, 'refresh-token', request.refreshToken);
  const family = handle && (await findFamily(issuer.db.prisma, { id: handle.authorizationId, clientId }));
  if (handle === undefined || family === undefined || family.endedAt !== null) throw invalidGrant();
  const consent = await liveConsent(issuer, { family, now, signal });
  const scopes = grantScopes({
    requested: request.requestedScopes,
    clientRoles: client.roles.filter((role) => family.roles.some((given) => given === role)),
    certificateRoles: certificate.roles,
  });
  const key = issuer.keyRing.signer(now);
  const opened = await openedAccounts(issuer, { consent, signal });
  const { id, consentId, expiresAt: validUntil } = family;
  const user = { consentId, validUntil, tokenId: accessTokenId(id, randomBytes(16).toString('base64url')) };
  const { expiresAt } = lifetimeOf(issuer, { certificate, user, now });
  const generation = await refreshFamily(issuer.db, {
    id,
    clientId,
    generation: handle.generation,
    thumbprint: certificate.thumbprint,
    rotate: PROFILES[issuer.profile].refreshTokensRotate,
    accessUntil: new Date(expiresAt * 1_000),
    now,
  });
  if (generation === undefined) {
    await endTokenFamily(issuer, { id, clientId, now, signal, why: 'refresh token reused' });
    throw invalidGrant();
  }
  const subject = subjectOf(subjects, family);
  const issued = await signToken(issuer, {
    key,
    clientId,
    subject,
    scopes,
    certificate,
    user,
    requestId,
    now,
  });
  const next = handleText(handles, { kind: 'refresh-token', authorizationId: id, generation });
  return { ...issued, user: { refreshToken: next, opened } };
}

/** The consent of a family. @throws ApiError invalid_grant when it was taken back or is over, and the family with it. */
async function liveConsent(
  issuer: UserTokenIssuer,
  { family, now, signal }: { family: TokenFamily; now: Date; signal: AbortSignal },
): Promise<Pick<Consent, 'consentId' | 'clientId' | 'userId' | 'accountIds'> & { validUntil: Date }> {
  const { id, clientId, expiresAt } = family;
  const consent = await findConsent(issuer, { family, signal });
  const isLive = consent !== undefined && consent.revokedAt === undefined;
  if (isLive && expiresAt.getTime() >= now.getTime() + LEAST_MS) return { ...consent, validUntil: expiresAt };
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
