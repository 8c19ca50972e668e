import type { IncomingHttpHeaders } from 'node:http';
import type { ClientDirectory } from '@kontoport/client-directory';
import type { Language } from '@kontoport/errors';
import { userAccounts } from '../accounts/user-accounts.ts';
import { type AuthorizationRequest, consentEnd } from '../domain/authorization-request.model.ts';
import { apart } from '../pages/bidi-isolate.ts';
import { TOKEN_FIELD } from '../pages/form.ts';
import type { Page } from '../pages/layout.ts';
import { readBrowserKey } from '../user-session/browser-key.ts';
import { formToken, isFormToken } from '../user-session/form-token.ts';
import { startLogin } from '../user-session/log-in-at-bank.ts';
import type { BankUser, UserAuthentication } from '../user-session/user-authentication.ts';
import type { AuthorizationDecider } from './approve-authorization.ts';
import { requestDecided, requestGone } from './authorization-error-page.ts';
import { chooseUserPage, consentPage, notLoggedInPage } from './authorization-pages.ts';
import { findAuthorizationRequest } from './find-authorization-request.ts';

/** What the pages of a request work with. */
export interface AuthorizationPages extends AuthorizationDecider {
  directory: ClientDirectory;
  userAuthentication: UserAuthentication;
  /** Where our pages are. */
  userUrl: string;
}

/** An undecided request in the browser that it belongs to. */
export interface OpenedRequest {
  request: AuthorizationRequest;
  browserKey: string;
  /** Makes what its forms prove. */
  formsKey: Uint8Array;
  /** Display name of the client. */
  client: string;
  /** Of the request, or else of the browser. */
  language: Language;
}

/** @throws ApiError RESOURCE_UNKNOWN when it is not open here; STATUS_INVALID when it is decided. */
export async function openRequest(
  pages: AuthorizationPages,
  options: { id: string; headers: IncomingHttpHeaders; now: Date; language: Language },
): Promise<OpenedRequest> {
  const opened = await findRequest(pages, options);
  if (opened.request.status !== 'open') throw requestDecided();
  return opened;
}

/** The same, also when it is decided: whoever says the same again gets the same answer. */
export async function findRequest(
  pages: AuthorizationPages,
  { id, headers, now, language }: { id: string; headers: IncomingHttpHeaders; now: Date; language: Language },
): Promise<OpenedRequest> {
  const browserKey = readBrowserKey(headers);
  const request = await findAuthorizationRequest(pages, { id, browserKey, now });
  if (request === undefined || browserKey === undefined) throw requestGone();
  const client = pages.directory.find(request.clientId);
  if (client === undefined || client.deleted) throw requestGone();
  const { forms: formsKey } = pages.authorizationKeys;
  const shown = { client: apart(client.displayName), language: request.language ?? language };
  return { request, browserKey, formsKey, ...shown };
}

/** What a browser is answered: a page, or that it goes on to the bank's. */
export type Shown = Page | { location: string };

/** What one of a request's forms proves; the steps of one request prove different things. */
export function proofOf(
  { request, browserKey, formsKey }: OpenedRequest,
  step: 'user' | 'identified' | 'approve' | 'refuse',
  userId = '',
): string {
  const about = [step, request.authorizationId, userId];
  return formToken({ key: formsKey, secret: browserKey, about });
}

/** The address of a request, or of a step of it. */
export function pathOf(
  { request }: OpenedRequest,
  step: '' | '/user' | '/login' | '/approve' | '/refuse' = '',
): string {
  return `/authorize/${request.id}${step}`;
}

/** Where the one who has said who they are goes on; without the browser's key the address is worth nothing. */
export function identifiedPath(
  opened: OpenedRequest,
  { userId, ...fault }: { userId: string; fault?: 'none' },
): string {
  const query = new URLSearchParams({ user: userId, proof: proofOf(opened, 'identified', userId), ...fault });
  return `${pathOf(opened)}?${query.toString()}`;
}

/** For what somebody logs in who is to answer a request. */
export function loginFor({ request, browserKey }: OpenedRequest): { browserKey: string; about: string[] } {
  return { browserKey, about: ['authorization', request.authorizationId] };
}

/** The page of a request: what is asked, for whom it is known who they are, or else who they are. */
export async function showRequest(
  pages: AuthorizationPages,
  opened: OpenedRequest,
  options: {
    user?: string | undefined;
    proof?: string | undefined;
    /** What was wrong with the form. */
    fault?: 'none' | undefined;
    now: Date;
    signal: AbortSignal;
  },
): Promise<Shown> {
  const { user: userId = '', proof = '', fault, now, signal } = options;
  if (!isFormToken(proof, proofOf(opened, 'identified', userId))) return showUsers(pages, opened, signal);
  const { clientId } = opened.request;
  const user = await pages.userAuthentication.findUser({ clientId, userId }, signal);
  if (user === undefined) return showUsers(pages, opened, signal);
  return showConsent(pages, opened, { user, noneChosen: fault === 'none', now, signal });
}

/** Asks who the user is, or has the bank ask. */
export async function showUsers(
  pages: AuthorizationPages,
  opened: OpenedRequest,
  signal: AbortSignal,
): Promise<Shown> {
  const { request, client, language } = opened;
  const { userAuthentication, userUrl } = pages;
  const { login } = userAuthentication;
  if (login !== undefined) {
    const { loginHint } = request;
    const words = { client, language, loginHint, returnPath: pathOf(opened, '/login'), signal };
    return { location: await startLogin({ login, userUrl }, { ...loginFor(opened), ...words }) };
  }
  return chooseUserPage({
    language,
    reason: 'choose-sandbox',
    client,
    users: await userAuthentication.usersFor(request.clientId, signal),
    preferred: request.loginHint,
    action: pathOf(opened, '/user'),
    fields: { [TOKEN_FIELD]: proofOf(opened, 'user') },
    cancel: cancelOf(opened),
  });
}

/** Says that the user came back from the bank as nobody. */
export function showNotLoggedIn(opened: OpenedRequest): Page {
  const { client, language } = opened;
  return notLoggedInPage({ language, client, again: pathOf(opened, '/user'), cancel: cancelOf(opened) });
}

/** Asks what the user agrees to. */
export async function showConsent(
  pages: AuthorizationPages,
  opened: OpenedRequest,
  options: { user: BankUser; noneChosen: boolean; now: Date; signal: AbortSignal },
): Promise<Page> {
  const { user, noneChosen, now, signal } = options;
  const { request, client, language } = opened;
  const { userId } = user;
  return consentPage({
    language,
    client,
    user: apart(user.name),
    otherUser: pathOf(opened, '/user'),
    roles: request.scopes,
    accounts: await userAccounts(pages, { clientId: request.clientId, userId, signal }),
    noneChosen,
    validUntil: consentEnd(request, now),
    action: pathOf(opened, '/approve'),
    fields: { [TOKEN_FIELD]: proofOf(opened, 'approve', userId), user: userId },
    cancel: cancelOf(opened),
  });
}

const cancelOf = (opened: OpenedRequest) => ({
  action: pathOf(opened, '/refuse'),
  token: proofOf(opened, 'refuse'),
});
