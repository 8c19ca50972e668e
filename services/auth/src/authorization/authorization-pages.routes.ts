import type { Route } from '@kontoport/gate';
import { z } from 'zod';
import { userAccounts } from '../accounts/user-accounts.ts';
import { consentEnd } from '../domain/authorization-request.model.ts';
import { bidiIsolate } from '../pages/bidi-isolate.ts';
import { TOKEN_FIELD } from '../pages/form.ts';
import {
  exampleToken,
  exampleUser,
  identificationRoutes,
  shownOrLogin,
} from '../user-session/identification.routes.ts';
import type { Shown, UserContext } from '../user-session/user-context.ts';
import { identifiedQuery, shortField, userPage } from '../user-session/user-pages.ts';
import { approveAuthorization } from './approve-authorization.ts';
import { authorizationErrorPage, requestGone } from './authorization-error-page.ts';
import { ACCOUNT_FIELD, consentPage, leavingPage } from './authorization-pages.ts';
import {
  type AuthorizationPages,
  findRequest,
  type OpenedRequest,
  openRequest,
  questionOf,
  refuseForm,
} from './open-request.ts';
import { AUTHORIZATION_PAGE_TEXTS as TEXTS } from './page-texts.ts';
import { refuseAuthorization } from './refuse-authorization.ts';
import { LONGEST_SEALED } from './sealed-request.ts';

const MAX_ACCOUNTS = 100;
/** One checkbox for each account, with the id in its name: a repeated name would be refused. */
const approveForm = z
  .object({ [TOKEN_FIELD]: shortField, user: shortField })
  .catchall(z.literal('on'))
  .refine((fields) => Object.keys(fields).length <= MAX_ACCOUNTS + 2);

const chosenAccounts = (fields: Readonly<Record<string, string>>): string[] =>
  Object.keys(fields)
    .filter((name) => name.startsWith(ACCOUNT_FIELD))
    .map((name) => name.slice(ACCOUNT_FIELD.length));

const path = '/authorize/:requestId';

/** The id of a request is the request itself, sealed by the authorization endpoint. */
const common = {
  clause: '§5.9',
  errors: authorizationErrorPage,
  params: z.object({ requestId: z.string().regex(new RegExp(`^[A-Za-z0-9_-]{1,${LONGEST_SEALED}}$`)) }),
  unknown: requestGone,
} as const;

const leaving = {
  description: 'The page that leads back to the redirect URI.',
  html: true,
  headers: {
    Refresh:
      'Leads back at once. It is no redirect, because the Content-Security-Policy rejects one after a form.',
  },
} as const;

/** The pages on which a user answers a client's request (§5.9). */
export function authorizationPageRoutes(deps: AuthorizationPages): Route[] {
  type Asked = { params: { requestId: string } };
  const open = (context: UserContext, { params }: Asked) => openRequest(deps, context, params.requestId);
  const find = (context: UserContext, { params }: Asked) => findRequest(deps, context, params.requestId);
  return [
    userPage(deps, {
      ...common,
      method: 'GET',
      path,
      summary: 'Show an authorization request',
      description: 'The user logs in first. Only the browser that opened the request sees it.',
      query: z.object({
        ...identifiedQuery,
        fault: z.literal('none').optional().meta({ description: 'No account was chosen.' }),
      }),
      answers: shownOrLogin,
      refusals: ['STATUS_INVALID'],
      resource: open,
      handler: (context, { resource, query }) =>
        showRequest(deps, context, { opened: resource, noneChosen: query.fault === 'none' }),
    }),
    ...identificationRoutes(deps, {
      path,
      common,
      summaries: {
        ask: 'Choose the user of a request',
        choose: 'Set the user of a request',
        login: "Return from the bank's login",
      },
      question: async (context, request) => questionOf(context, await open(context, request)),
      refusals: ['STATUS_INVALID'],
      notLoggedIn: ({ client }) => TEXTS('not-logged-in', { client }),
    }),
    userPage(deps, {
      ...common,
      method: 'POST',
      path: `${path}/approve`,
      summary: 'Approve, for the chosen accounts',
      description: 'The same form again gets the same answer while its code can be used.',
      body: { form: approveForm, example: { [TOKEN_FIELD]: exampleToken, user: exampleUser } },
      covered: ['user'],
      answers: {
        200: leaving,
        303: { description: 'Redirect to the page: no account is chosen.', redirect: true },
      },
      refusals: ['STATUS_INVALID'],
      resource: find,
      handler: async (context, { resource, body }) => {
        const { request, client, language } = resource;
        const accountIds = chosenAccounts(body);
        // A redirect, so that the browser's back button works.
        if (accountIds.length === 0)
          return { location: context.identifiedPath(resource.path, body.user, { fault: 'none' }) };
        const { now, signal } = context;
        const validUntil = consentEnd(request, now);
        const approval = { request, userId: body.user, accountIds, validUntil, now, signal };
        const { redirectUri } = await approveAuthorization(deps, approval);
        return leavingPage({ language, client, outcome: 'approved', redirectUri });
      },
    }),
    userPage(deps, {
      ...common,
      method: 'POST',
      path: `${path}/refuse`,
      summary: 'Refuse',
      body: { form: z.strictObject({ [TOKEN_FIELD]: shortField }), example: { [TOKEN_FIELD]: exampleToken } },
      answers: { 200: leaving },
      refusals: ['STATUS_INVALID'],
      resource: find,
      handler: async ({ now }, { resource: { request, client, language } }) => {
        const { redirectUri } = await refuseAuthorization(deps, { request, error: 'access_denied', now });
        return leavingPage({ language, client, outcome: 'refused', redirectUri });
      },
    }),
  ];
}

/** Shows a client's request, or the page that identifies the user. */
async function showRequest(
  deps: AuthorizationPages,
  context: UserContext,
  { opened, noneChosen }: { opened: OpenedRequest; noneChosen: boolean },
): Promise<Shown> {
  const { request, path, client, organizationIdentifier, language } = opened;
  const { clientId } = request;
  const { userId, now, signal } = context;
  const user = userId === undefined ? undefined : await context.findUser({ clientId, userId });
  if (user === undefined) return context.askUser(questionOf(context, opened));
  return consentPage({
    language,
    client,
    organizationIdentifier,
    user: bidiIsolate(user.name),
    path,
    roles: request.scopes,
    accounts: await userAccounts(deps, { clientId, userId: user.userId, signal }),
    noneChosen,
    validUntil: consentEnd(request, now),
    approve: context.form(`${path}/approve`, { user: user.userId }),
    cancel: refuseForm(context, opened),
  });
}
