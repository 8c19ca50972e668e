import { createHash } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { toApiError } from '@kontoport/errors';
import { call } from '@kontoport/grpc';
import {
  type Approval,
  findDecision,
  redeemDecision,
} from '../authorization/authorization-decision.repository.ts';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import type { CallContext } from '../client-authentication/client-credentials.model.ts';
import { hasCodeEnded } from '../domain/authorization-request.model.ts';
import { readOpaqueToken } from '../domain/opaque-token.model.ts';
import { endTokenFamily } from './end-token-family.ts';
import { grantScopes } from './scope.model.ts';
import { insertFamily } from './token-family.repository.ts';
import { LEAST_CONSENT_MS } from './token-lifetime.model.ts';
import {
  type CodeRequest,
  type GrantRequest,
  invalidGrant,
  type IssuedToken,
} from './token-request.model.ts';
import { issueUserToken, planUserToken, type UserTokenIssuer } from './user-token.ts';

/**
 * Redeems a code (RFC 6749 §4.1.3, §5.9): creates the consent and issues the first tokens under it. The code is bound to its
 * client, redirect URI and PKCE challenge, and works once; a second use with the same proof ends the family.
 * @throws ApiError invalid_client, invalid_grant, invalid_scope; RATE_LIMITED; UNAVAILABLE, which leaves the code valid
 */
export async function redeemCode(
  issuer: UserTokenIssuer,
  { request, certificate, requestId }: GrantRequest<CodeRequest>,
  context: CallContext,
): Promise<IssuedToken> {
  const { now, signal } = context;
  const { credentials } = request;
  const client = await authenticateClient(issuer, { credentials, certificate }, context);
  const approval = await requireApproval(issuer, { request, clientId: client.clientId });
  if (approval.redeemedAt) throw await usedTwice(issuer, { approval, now, signal });
  const isOver = approval.validUntil.getTime() < now.getTime() + LEAST_CONSENT_MS;
  if (isOver || hasCodeEnded(approval.decidedAt, now)) throw invalidGrant();
  const { authorizationId: familyId, clientId, consentId, userId, roles, validUntil } = approval;
  const scopes = grantScopes({
    requested: undefined,
    clientRoles: client.roles.filter((role) => roles.some((given) => given === role)),
    certificateRoles: certificate.roles,
  });
  // Throws without keys, before the consent is created.
  issuer.keyRing.signer(now);
  await createConsent(issuer, { approval, signal });
  const asked = { familyId, consent: approval, scopes, certificate, requestId, now, signal };
  const plan = await planUserToken(issuer, asked);
  const family = { id: familyId, clientId, consentId, userId, roles, expiresAt: validUntil };
  const isFirst = await issuer.db.prisma.$transaction(async (tx) => {
    if (!(await redeemDecision(tx, { authorizationId: familyId, clientId, now }))) return false;
    await insertFamily(tx, { ...family, createdAt: now, accessUntil: plan.accessUntil });
    return true;
  });
  if (!isFirst) throw await usedTwice(issuer, { approval, now, signal });
  return issueUserToken(issuer, plan, { familyId, generation: 1 });
}

/** Finds the approval of a code, and checks all bindings of the code. @throws ApiError invalid_grant */
async function requireApproval(
  { db, authorizationKeys }: UserTokenIssuer,
  { request, clientId }: { request: CodeRequest; clientId: string },
): Promise<Approval> {
  const code = readOpaqueToken(authorizationKeys.opaqueTokens, 'code', request.code);
  const decision = code && (await findDecision(db.prisma, { ...code, clientId }));
  if (decision?.outcome !== 'APPROVED' || decision.redirectUri !== request.redirectUri) throw invalidGrant();
  const challenge = createHash('sha256').update(request.codeVerifier).digest('base64url');
  if (challenge !== decision.codeChallenge) throw invalidGrant();
  return decision;
}

async function createConsent(
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
  // An account was closed, or the consent is withdrawn already.
  throw invalidGrant();
}

/** Ends the family of a code that was used twice: a second party has the code (RFC 9700 §4.5). */
async function usedTwice(
  issuer: UserTokenIssuer,
  { approval, now, signal }: { approval: Approval; now: Date; signal: AbortSignal },
): Promise<Error> {
  const { authorizationId: id, clientId } = approval;
  await endTokenFamily(issuer, { id, clientId, now, signal, why: 'code used twice' });
  return invalidGrant();
}
