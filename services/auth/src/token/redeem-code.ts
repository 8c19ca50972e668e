import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { toApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import {
  type Approval,
  findDecision,
  redeemDecision,
} from '../authorization/authorization-decision.repository.ts';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import {
  type AskedAt,
  type CodeRequest,
  invalidGrant,
  type IssuedToken,
} from '../client-authentication/client-credentials.model.ts';
import { hasCodeEnded } from '../domain/authorization-request.model.ts';
import { handleText, readHandle } from '../domain/opaque-token.model.ts';
import { endTokenFamily } from './end-token-family.ts';
import type { Asked } from './grant.ts';
import { grantScopes } from './scope.model.ts';
import { lifetimeOf, signToken } from './sign-token.ts';
import { accessTokenId, subjectOf } from './token-family.model.ts';
import { insertFamily } from './token-family.repository.ts';
import { openedAccounts, type UserTokenIssuer } from './user-token.ts';

/** A consent that has less is over: no token could be issued that it does not outlive. */
export const LEAST_MS = 1_000;

/**
 * Redeems a code (RFC 6749 §4.1.3, §5.9): makes the consent, and gives the first tokens under it. The code is bound to its
 * client, its redirect URI and its PKCE challenge, and works once: used again, by the same proof, all that it gave ends.
 * @throws ApiError invalid_client, invalid_grant, invalid_scope; RATE_LIMITED; UNAVAILABLE, and then the code is still good.
 */
export async function redeemCode(
  issuer: UserTokenIssuer,
  { request, certificate, requestId }: Asked<CodeRequest>,
  { now, signal }: AskedAt,
): Promise<IssuedToken> {
  const { credentials } = request;
  const client = await authenticateClient(issuer, { credentials, certificate }, { now, signal });
  const approval = await requireApproval(issuer, { request, clientId: client.clientId });
  if (approval.redeemedAt) throw await usedTwice(issuer, { approval, now, signal });
  const isOver = approval.validUntil.getTime() < now.getTime() + LEAST_MS;
  if (isOver || hasCodeEnded(approval.decidedAt, now)) throw invalidGrant();
  const { authorizationId: id, clientId, consentId, userId, validUntil } = approval;
  const scopes = grantScopes({
    requested: undefined,
    clientRoles: client.roles.filter((role) => approval.roles.some((given) => given === role)),
    certificateRoles: certificate.roles,
  });
  const key = issuer.keyRing.signer(now);
  await makeConsent(issuer, { approval, signal });
  const opened = await openedAccounts(issuer, { consent: approval, signal });
  const user = { consentId, validUntil, tokenId: accessTokenId(id, randomBytes(16).toString('base64url')) };
  const { expiresAt } = lifetimeOf(issuer, { certificate, user, now });
  const isFirst = await issuer.db.prisma.$transaction(async (tx) => {
    if (!(await redeemDecision(tx, { authorizationId: id, clientId, now }))) return false;
    const accessUntil = new Date(expiresAt * 1_000);
    const { roles } = approval;
    await insertFamily(tx, {
      id,
      clientId,
      consentId,
      userId,
      roles,
      createdAt: now,
      expiresAt: validUntil,
      accessUntil,
    });
    return true;
  });
  if (!isFirst) throw await usedTwice(issuer, { approval, now, signal });
  const subject = subjectOf(issuer.authorizationKeys.subjects, approval);
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
  const refreshToken = handleText(issuer.authorizationKeys.handles, {
    kind: 'refresh-token',
    authorizationId: id,
    generation: 1,
  });
  return { ...issued, user: { refreshToken, opened } };
}

/** What the code stands for, when all that it is bound to is shown with it. */
async function requireApproval(
  { db, authorizationKeys }: UserTokenIssuer,
  { request, clientId }: { request: CodeRequest; clientId: string },
): Promise<Approval> {
  const handle = readHandle(authorizationKeys.handles, 'code', request.code);
  const decision = handle && (await findDecision(db.prisma, { ...handle, clientId }));
  if (decision?.outcome !== 'APPROVED' || decision.redirectUri !== request.redirectUri) throw invalidGrant();
  const challenge = createHash('sha256').update(request.codeVerifier).digest('base64url');
  if (challenge !== decision.codeChallenge) throw invalidGrant();
  return decision;
}

async function makeConsent(
  { consents }: UserTokenIssuer,
  { approval, signal }: { approval: Approval; signal: AbortSignal },
): Promise<void> {
  const { consentId, clientId, userId, accountIds, validUntil } = approval;
  const roles: Role[] = approval.roles;
  try {
    const asked = { consentId, clientId, userId, accountIds, roles, validUntil };
    const { consent } = await call(consents, consents.createConsent, asked, { signal });
    if (consent?.revokedAt === undefined) return;
  } catch (error) {
    if (toApiError(error).status >= 500) throw error;
  }
  // An account that was closed, a consent that was taken back already.
  throw invalidGrant();
}

/** Somebody has the code who should not (RFC 9700 §4.5): what it gave ends, whoever has it. A code that ran out gave nothing. */
async function usedTwice(
  issuer: UserTokenIssuer,
  { approval, now, signal }: { approval: Approval; now: Date; signal: AbortSignal },
): Promise<Error> {
  const { authorizationId: id, clientId } = approval;
  await endTokenFamily(issuer, { id, clientId, now, signal, why: 'code used twice' });
  return invalidGrant();
}
