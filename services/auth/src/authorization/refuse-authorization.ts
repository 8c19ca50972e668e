import type { RequestedAuthorization } from '../domain/authorization-request.model.ts';
import { alreadyDecided, type AuthorizationDecider } from './approve-authorization.ts';
import { answerUri, type AuthorizationError } from './authorization-answer.model.ts';
import { storeDecision } from './authorization-decision.repository.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/**
 * Refuses a request, and returns the redirect with the error. A second refusal gets the same answer.
 * @param options.error `access_denied` for a refusal by the user
 * @throws ApiError STATUS_INVALID for an approved request; UNAVAILABLE
 */
export async function refuseAuthorization(
  decider: Pick<AuthorizationDecider, 'db' | 'logger' | 'issuer'>,
  options: { request: RequestedAuthorization; error: AuthorizationError; now: Date },
): Promise<{ redirectUri: string }> {
  const { db, logger, issuer } = decider;
  const { request, error, now } = options;
  const { authorizationId, clientId, isPushed, redirectUri, codeChallenge } = request;
  const decision = await storeDecision(db, {
    outcome: 'REFUSED',
    authorizationId,
    clientId,
    isPushed,
    redirectUri,
    codeChallenge,
    decidedAt: now,
  });
  if (decision.outcome !== 'REFUSED') throw alreadyDecided();
  logger.info({ clientId, authorizationId, error }, 'authorization refused');
  const description = error === 'access_denied' ? TEXTS('denied').in('en') : undefined;
  return { redirectUri: answerUri(issuer, request, { error, description }) };
}
