import { randomUUID } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { type ClientDirectory, registeredExactly } from '@kontoport/client-directory';
import { ApiError, toApiError } from '@kontoport/errors';
import { describeError } from '@kontoport/lifecycle';
import { userAccounts } from '../accounts/user-accounts.ts';
import {
  consentEnd,
  REQUEST_LIFETIME_MS,
  type RequestedAuthorization,
} from '../domain/authorization-request.model.ts';
import { type AuthProfile, PROFILES } from '../domain/profile.model.ts';
import type { UserAuthentication } from '../user-session/user-authentication.ts';
import { approveAuthorization, type AuthorizationDecider } from './approve-authorization.ts';
import { answerUri, type AuthorizationError } from './authorization-answer.model.ts';
import { findDecision } from './authorization-decision.repository.ts';
import { pushedPart } from './push-authorization.ts';
import {
  authorizationFault,
  type AuthorizationParameters,
  readAuthorization,
  returnableState,
} from './read-authorization.ts';
import { refuseAuthorization } from './refuse-authorization.ts';
import { requireClient } from './require-client.ts';
import { hashBrowserKey, openSealedRequest, sealRequest } from './sealed-request.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/** Dependencies of the authorization endpoint. */
export interface AuthorizationOpener extends AuthorizationDecider {
  directory: ClientDirectory;
  profile: AuthProfile;
  userAuthentication: UserAuthentication;
}

/**
 * Opens an authorization request in a browser (RFC 6749 §4.1.1, §5.9). Returns the next address: our page, or the redirect
 * URI with an error, or with a code for `prompt=none`. Nothing is stored before a user decides.
 * @throws ApiError for a page, where the redirect URI is not verified: unknown client, unregistered redirect URI, `request_uri` of
 *   another client
 */
export async function openAuthorization(
  opener: AuthorizationOpener,
  options: { given: AuthorizationParameters; browserKey: string; now: Date; signal: AbortSignal },
): Promise<{ location: string }> {
  const { directory } = opener;
  const { given, browserKey, now, signal } = options;
  const client = requireClient(directory, given);
  const pushed = given.request_uri ? requirePushed(opener, given, now) : undefined;
  const redirectUri = pushed?.redirectUri ?? given.redirect_uri ?? '';
  if (!registeredExactly(client, redirectUri)) throw new ApiError('FORMAT_ERROR', TEXTS('redirect-uri'));
  const to = { redirectUri, state: pushed === undefined ? returnableState(given) : pushed.state };
  try {
    if (pushed !== undefined) await requireUndecided(opener, pushed);
    const request = pushed ?? readDirect(opener, { given, redirectUri, client });
    if (request.prompt === 'none') return await answerWithoutPage(opener, { request, now, signal });
    return { location: `/authorize/${idFor(opener, { request, browserKey, now })}` };
  } catch (error) {
    const refusal = toApiError(error);
    const code = redirectError(refusal);
    if (code === undefined) throw error;
    if (code === 'server_error')
      opener.logger.error({ clientId: client.clientId, error: describeError(error) }, 'authorization failed');
    const description = refusal.text.in('en');
    return { location: answerUri(opener.issuer, to, { error: code, description }) };
  }
}

/** Returns the error for the redirect URI; undefined for an error that only a page may show. */
function redirectError({ oauthError, code }: ApiError): AuthorizationError | undefined {
  if (oauthError !== undefined) return oauthError as AuthorizationError;
  if (code === 'UNAVAILABLE') return 'temporarily_unavailable';
  return code === 'INTERNAL_ERROR' ? 'server_error' : undefined;
}

function requirePushed(
  { authorizationKeys }: AuthorizationOpener,
  given: AuthorizationParameters,
  now: Date,
): RequestedAuthorization {
  const text = pushedPart(given.request_uri ?? '') ?? '';
  const request = openSealedRequest(authorizationKeys.requests, 'pushed', { text, now });
  if (request === undefined || request.clientId !== given.client_id?.toLowerCase())
    throw new ApiError('FORMAT_ERROR', TEXTS('request-uri'));
  return request;
}

/** Accepts a pushed request until it is decided: browsers may load a page twice (FAPI 2.0). */
async function requireUndecided({ db }: AuthorizationOpener, request: RequestedAuthorization): Promise<void> {
  if ((await findDecision(db.prisma, request)) !== undefined)
    throw new ApiError('FORMAT_ERROR', TEXTS('request-uri'));
}

function readDirect(
  { profile }: AuthorizationOpener,
  options: {
    given: AuthorizationParameters;
    redirectUri: string;
    client: { clientId: string; roles: string[] };
  },
): RequestedAuthorization {
  const { given, redirectUri, client } = options;
  if (PROFILES[profile].pushRequired) throw authorizationFault(TEXTS('push-required'));
  const { clientId } = client;
  return {
    ...readAuthorization(given, client.roles as Role[]),
    authorizationId: randomUUID(),
    clientId,
    isPushed: false,
    redirectUri,
  };
}

function idFor(
  { authorizationKeys }: AuthorizationOpener,
  { request, browserKey, now }: { request: RequestedAuthorization; browserKey: string; now: Date },
): string {
  return sealRequest(authorizationKeys.requests, 'opened', {
    ...request,
    browserKeyHash: hashBrowserKey(browserKey),
    expiresAt: new Date(now.getTime() + REQUEST_LIFETIME_MS),
  });
}

/**
 * Answers `prompt=none`: in the sandbox the named or first simulated user gives access to all accounts, or refuses;
 * otherwise login_required.
 */
async function answerWithoutPage(
  opener: AuthorizationOpener,
  options: { request: RequestedAuthorization; now: Date; signal: AbortSignal },
): Promise<{ location: string }> {
  const { userAuthentication, issuer } = opener;
  const { request, now, signal } = options;
  const { clientId, loginHint } = request;
  const users = await userAuthentication.usersFor(clientId, signal);
  const user = loginHint === undefined ? users[0] : users.find((each) => each.loginHint === loginHint);
  if (user === undefined) {
    const description = TEXTS('login-required').in('en');
    return { location: answerUri(issuer, request, { error: 'login_required', description }) };
  }
  if (user.refusesConsent) {
    const refused = await refuseAuthorization(opener, { request, error: 'access_denied', now });
    return { location: refused.redirectUri };
  }
  const { userId } = user;
  const accounts = await userAccounts(opener, { clientId, userId, signal });
  const { redirectUri } = await approveAuthorization(opener, {
    request,
    userId,
    accountIds: accounts.map(({ accountId }) => accountId),
    validUntil: consentEnd(request, now),
    now,
    signal,
  });
  return { location: redirectUri };
}
