import type { IncomingHttpHeaders } from 'node:http';
import type { ClientDirectory } from '@kontoport/client-directory';
import type { Language } from '@kontoport/errors';
import type { AuthorizationDecider } from '../authorization/approve-authorization.ts';
import { type AuthorizationRequest, consentEnd } from '../authorization/authorization-request.model.ts';
import { readBrowserKey } from '../authorization/browser-key.ts';
import { findAuthorizationRequest } from '../authorization/find-authorization-request.ts';
import { userAccounts } from '../authorization/user-accounts.ts';
import { formToken, isFormToken } from '../pages/form-proof.ts';
import { TOKEN_FIELD } from '../pages/form.ts';
import type { Page } from '../pages/layout.ts';
import { requestDecided, requestGone } from './authorization-error-page.ts';
import { chooseUserPage, consentPage } from './authorization-pages.ts';
import type { BankUser, UserAuthentication } from './user-authentication.ts';

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
  return { request, browserKey, client: client.displayName, language: request.language ?? language };
}

/** What one of a request's forms proves; the steps of one request prove different things. */
export function proofOf(
  { request, browserKey }: OpenedRequest,
  step: 'user' | 'identified' | 'approve' | 'refuse',
  userId = '',
): string {
  return formToken({ secret: browserKey, about: [step, request.authorizationId, userId] });
}

/** The address of a request, or of a step of it. */
export function pathOf({ request }: OpenedRequest, step: '' | '/user' | '/approve' | '/refuse' = ''): string {
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

/** Those who can be the user. */
export function usersOf(
  { userAuthentication }: AuthorizationPages,
  { request }: OpenedRequest,
  signal: AbortSignal,
): Promise<readonly BankUser[]> {
  return userAuthentication.usersFor(request.clientId, signal);
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
): Promise<Page> {
  const { user: userId = '', proof = '', fault, now, signal } = options;
  if (!isFormToken(proof, proofOf(opened, 'identified', userId))) return showUsers(pages, opened, signal);
  const users = await usersOf(pages, opened, signal);
  const user = users.find((each) => each.userId === userId);
  if (user === undefined) return showUsers(pages, opened, signal);
  return showConsent(pages, opened, { user, noneChosen: fault === 'none', now, signal });
}

/** Asks who the user is. */
export async function showUsers(
  pages: AuthorizationPages,
  opened: OpenedRequest,
  signal: AbortSignal,
): Promise<Page> {
  const { request, client, language } = opened;
  return chooseUserPage({
    language,
    reason: 'choose-sandbox',
    client,
    users: await usersOf(pages, opened, signal),
    preferred: request.loginHint,
    action: pathOf(opened, '/user'),
    fields: { [TOKEN_FIELD]: proofOf(opened, 'user') },
    cancel: cancelOf(opened),
  });
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
    user: user.name,
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
