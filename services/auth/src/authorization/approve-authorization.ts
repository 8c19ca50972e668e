import { randomUUID } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import type { Logger } from '@kontoport/lifecycle';
import type { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import { userAccounts } from '../accounts/user-accounts.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { hasCodeEnded, type RequestedAuthorization } from '../domain/authorization-request.model.ts';
import { opaqueToken } from '../domain/opaque-token.model.ts';
import type { Db } from '../gen/db.ts';
import { answerUri } from './authorization-answer.model.ts';
import { storeDecision } from './authorization-decision.repository.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/** Dependencies for deciding a request. */
export interface AuthorizationDecider {
  db: Db;
  logger: Logger;
  authorizationKeys: AuthorizationKeys;
  consents: ConsentsServiceClient;
  /** The `iss` of every answer. */
  issuer: string;
}

/**
 * Approves a request for an authenticated user, and returns the redirect with the code. The first answer is final: a later
 * approval gets the same code while that is valid, whatever accounts it names. The consent is created when the client redeems
 * the code.
 * @param options.accountIds at least one account of the user
 * @param options.validUntil the end of the consent, at most 180 days from now
 * @throws ApiError STATUS_INVALID for a decided request; FORMAT_ERROR for accounts that are not the user's; RESOURCE_UNKNOWN for a
 *   user without accounts; UNAVAILABLE
 */
export async function approveAuthorization(
  decider: AuthorizationDecider,
  options: {
    request: RequestedAuthorization;
    userId: string;
    accountIds: readonly string[];
    validUntil: Date;
    now: Date;
    signal: AbortSignal;
  },
): Promise<{ redirectUri: string }> {
  const { db, logger, authorizationKeys, issuer } = decider;
  const { request, userId, validUntil, now } = options;
  const { authorizationId, clientId, isPushed, redirectUri, codeChallenge } = request;
  const accountIds = await openableAccounts(decider, options);
  const decision = await storeDecision(db, {
    outcome: 'APPROVED',
    authorizationId,
    clientId,
    isPushed,
    redirectUri,
    codeChallenge,
    consentId: randomUUID(),
    userId,
    accountIds,
    roles: request.scopes,
    validUntil,
    decidedAt: now,
    redeemedAt: undefined,
  });
  if (decision.outcome !== 'APPROVED' || decision.redeemedAt || hasCodeEnded(decision.decidedAt, now))
    throw alreadyDecided();
  logger.info({ clientId, authorizationId, accounts: decision.accountIds.length }, 'authorization approved');
  const code = opaqueToken(authorizationKeys.opaqueTokens, { kind: 'code', authorizationId, generation: 0 });
  return { redirectUri: answerUri(issuer, request, { code }) };
}

/** Refuses a request that is decided. */
export function alreadyDecided(): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('decided'));
}

async function openableAccounts(
  decider: AuthorizationDecider,
  options: {
    request: RequestedAuthorization;
    userId: string;
    accountIds: readonly string[];
    signal: AbortSignal;
  },
): Promise<string[]> {
  const { request, userId, signal } = options;
  const { clientId } = request;
  const accounts = await userAccounts(decider, { clientId, userId, signal });
  const chosen = new Set(options.accountIds);
  const found = accounts.map(({ accountId }) => accountId).filter((accountId) => chosen.has(accountId));
  if (found.length === 0 || found.length !== chosen.size)
    throw new ApiError('FORMAT_ERROR', TEXTS('accounts-unknown'));
  return found;
}
