import { type Route, route } from '@kontoport/gate';
import { PAGE_HEADERS } from '@kontoport/http';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import { renderPage } from '../pages/layout.ts';
import { LONGEST_LOGIN_CODE } from '../user-session/log-in-at-bank.ts';
import { approveRequest, refuseRequest } from './answer-request.ts';
import { authorizationErrorPage, requestGone } from './authorization-error-page.ts';
import { ACCOUNT_FIELD } from './authorization-pages.ts';
import { identifyAtBank, identifyUser } from './identify-user.ts';
import { LONGEST_SEALED } from './sealed-request.ts';
import {
  type AuthorizationPages,
  findRequest,
  identifiedPath,
  openRequest,
  type Shown,
  showNotLoggedIn,
  showRequest,
  showUsers,
} from './show-request.ts';

/** A field that shows where a form comes from, or whom it is about. */
const token = z.string().max(100);

const identifiedQuery = z.object({
  user: z.string().max(100).optional().meta({ description: 'Who the user has said they are.' }),
  proof: token.optional().meta({ description: 'That they have, in this browser.' }),
  fault: z.literal('none').optional().meta({ description: 'No account was chosen.' }),
});
const loginQuery = z.object({
  code: z
    .string()
    .max(LONGEST_LOGIN_CODE)
    .optional()
    .meta({ description: 'That somebody is logged in, for the bank to say who.' }),
  error: z.string().max(100).optional().meta({ description: 'That nobody is.' }),
});
const userForm = z.strictObject({ [TOKEN_FIELD]: token, user: z.string().max(100).optional() });
const refusalForm = z.strictObject({ [TOKEN_FIELD]: token });

const MOST_ACCOUNTS = 100;
/** A checkbox for each account, with the id in its name: one that stood twice would be refused. */
const approvalForm = z
  .object({ [TOKEN_FIELD]: token, user: z.string().max(100) })
  .catchall(z.literal('on'))
  .refine((fields) => Object.keys(fields).length <= MOST_ACCOUNTS + 2);

const chosenAccounts = (fields: Readonly<Record<string, string>>): string[] =>
  Object.keys(fields)
    .filter((name) => name.startsWith(ACCOUNT_FIELD))
    .map((name) => name.slice(ACCOUNT_FIELD.length));

/** What all of them have in common; a request's id is what the authorization endpoint has sealed. */
const common = {
  clause: '§5.9',
  security: { kind: 'public' },
  errors: authorizationErrorPage,
  params: z.object({ requestId: z.string().regex(new RegExp(`^[A-Za-z0-9_-]{1,${LONGEST_SEALED}}$`)) }),
  unknown: requestGone,
} as const;

const example = { [TOKEN_FIELD]: 'qUsxmUcLVrTmC9cmGDyRsV7JJfRZlFvkKZ3xfBRIDmo' };
const exampleUser = '0b8a4f6a-6a3c-4f4e-9d0e-1c2b3a4d5e6f';

const shown = {
  200: { description: 'The page.', html: true },
  303: { description: "On to the bank's login, where the bank's users log in.", redirect: true },
} as const;
const leaving = {
  description: 'The page that leads back to the redirect URI.',
  html: true,
  headers: {
    Refresh: 'Where it leads, at once: a redirect would be one of the form (Content-Security-Policy).',
  },
} as const;

/** The pages on which a user answers what a client asks (§5.9), for a browser without client certificate. */
export function authorizationPageRoutes(deps: AuthorizationPages): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/authorize/:requestId',
      summary: 'Show what a client asks of the user',
      description:
        'Whoever is not known yet is asked who they are. The browser alone that opened the request sees it.',
      query: identifiedQuery,
      answers: shown,
      refusals: ['STATUS_INVALID'],
      handler: async ({ params, query, headers, language, now, signal }) => {
        const opened = await openRequest(deps, { id: params.requestId, headers, now, language });
        return answerWith(await showRequest(deps, opened, { ...query, now, signal }));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/authorize/:requestId/user',
      summary: 'Ask who the user is',
      answers: shown,
      refusals: ['STATUS_INVALID'],
      handler: async ({ params, headers, language, now, signal }) => {
        const opened = await openRequest(deps, { id: params.requestId, headers, now, language });
        return answerWith(await showUsers(deps, opened, signal));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/authorize/:requestId/user',
      summary: 'Say who the user is',
      body: { form: userForm, example: { ...example, user: exampleUser } },
      answers: { 303: { description: 'On to what is asked, with the cookie of a session.', redirect: true } },
      refusals: ['STATUS_INVALID'],
      handler: async ({ params, body, headers, language, now, signal }) => {
        const opened = await openRequest(deps, { id: params.requestId, headers, now, language });
        const { token: given, user } = body;
        const { redirect, cookie } = await identifyUser(deps, opened, {
          token: given,
          user,
          headers,
          now,
          signal,
        });
        return { status: 303, ...(cookie && { headers: { 'set-cookie': cookie } }), redirect };
      },
    }),
    loginRoute(deps),
    ...answerRoutes(deps),
  ];
}

function loginRoute(deps: AuthorizationPages): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/authorize/:requestId/login',
    summary: "Come back from the bank's login",
    query: loginQuery,
    answers: {
      200: { description: 'The page that offers to log in again: nobody is logged in.', html: true },
      303: { description: 'On to what is asked, with the cookie of a session.', redirect: true },
    },
    refusals: ['STATUS_INVALID'],
    handler: async ({ params, query, headers, language, now, signal }) => {
      const opened = await openRequest(deps, { id: params.requestId, headers, now, language });
      const identified = await identifyAtBank(deps, opened, { code: query.code, headers, now, signal });
      if (identified === undefined) return answerWith(showNotLoggedIn(opened));
      const { redirect, cookie } = identified;
      return { status: 303, headers: { ...PAGE_HEADERS, 'set-cookie': cookie }, redirect };
    },
  });
}

function answerWith(page: Shown) {
  if ('location' in page) return { status: 303, headers: PAGE_HEADERS, redirect: page.location } as const;
  return { status: 200, language: page.language, ...renderPage(page) } as const;
}

function answerRoutes(deps: AuthorizationPages): Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/authorize/:requestId/approve',
      summary: 'Say yes, for the accounts that are chosen',
      description: 'Sent again, the same answer comes for as long as its code can be used.',
      body: { form: approvalForm, example: { ...example, user: exampleUser } },
      answers: {
        200: leaving,
        303: { description: 'Back to the page: no account is chosen.', redirect: true },
      },
      refusals: ['STATUS_INVALID'],
      handler: async ({ params, body, headers, language, now, signal }) => {
        const found = await findRequest(deps, { id: params.requestId, headers, now, language });
        const page = await approveRequest(deps, found, {
          token: body.token,
          userId: body.user,
          accountIds: chosenAccounts(body),
          headers,
          now,
          signal,
        });
        // A page that a form was answered with cannot be gone back to.
        if (page === undefined)
          return { status: 303, redirect: identifiedPath(found, { userId: body.user, fault: 'none' }) };
        return { status: 200, language: page.language, ...renderPage(page) };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/authorize/:requestId/refuse',
      summary: 'Say no',
      body: { form: refusalForm, example },
      answers: { 200: leaving },
      refusals: ['STATUS_INVALID'],
      handler: async ({ params, body, headers, language, now, signal }) => {
        const found = await findRequest(deps, { id: params.requestId, headers, now, language });
        const page = await refuseRequest(deps, found, { token: body.token, headers, now, signal });
        return { status: 200, language: page.language, ...renderPage(page) };
      },
    }),
  ];
}
