import type { ClientDirectory } from '@kontoport/client-directory';
import type { Language } from '@kontoport/errors';
import type { AuthorizationRequest } from '../domain/authorization-request.model.ts';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import type { SignedForm } from '../pages/form.ts';
import type { UserContext, UserPagesDeps, UserQuestion } from '../user-session/user-context.ts';
import type { AuthorizationDecider } from './approve-authorization.ts';
import { requestDecided, requestGone } from './authorization-error-page.ts';
import { findAuthorizationRequest } from './find-authorization-request.ts';

/** Dependencies of the pages of a request. */
export interface AuthorizationPages extends AuthorizationDecider, UserPagesDeps {
  directory: ClientDirectory;
}

/** A request in the browser that opened it. */
export interface OpenedRequest {
  request: AuthorizationRequest;
  /** The address of its page. */
  path: string;
  /** Display name of the client. */
  client: string;
  /** From the certificate with which the client registered. */
  organizationIdentifier: string;
  /** The language of the request, or else of the browser. */
  language: Language;
}

/** Finds a request that waits for its user. @throws ApiError RESOURCE_UNKNOWN when it is not open here; STATUS_INVALID when it is decided */
export async function openRequest(
  pages: AuthorizationPages,
  context: UserContext,
  id: string,
): Promise<OpenedRequest> {
  const opened = await findRequest(pages, context, id);
  if (opened.request.status !== 'open') throw requestDecided();
  return opened;
}

/** Finds a request, decided or not: a repeated answer has the same result. @throws ApiError RESOURCE_UNKNOWN when it is not open here */
export async function findRequest(
  pages: AuthorizationPages,
  context: UserContext,
  id: string,
): Promise<OpenedRequest> {
  const { browserKey, now } = context;
  const request = await findAuthorizationRequest(pages, { id, browserKey, now });
  const client = request && pages.directory.find(request.clientId);
  if (request === undefined || client === undefined || client.deleted) throw requestGone();
  const language = request.language ?? context.language;
  const { displayName, organizationIdentifier } = client;
  return {
    request,
    path: `/authorize/${id}`,
    client: bidiIsolate(displayName),
    organizationIdentifier,
    language,
  };
}

/** Makes the question for the user of a request. */
export function questionOf(context: UserContext, opened: OpenedRequest): UserQuestion {
  const { request, path, client, language } = opened;
  const { clientId, loginHint } = request;
  const choose = context.form(`${path}/user`);
  const cancel = refuseForm(context, opened);
  return { path, choose, reason: 'choose-sandbox', clientId, client, language, loginHint, cancel };
}

/** The form that refuses a request. It needs no identified user. */
export function refuseForm(context: UserContext, { path }: OpenedRequest): SignedForm {
  return context.form(`${path}/refuse`);
}
