import type { IncomingHttpHeaders } from 'node:http';
import type { Language } from '@kontoport/errors';
import { type Route, route } from '@kontoport/gate';
import { PAGE_HEADERS, uuid } from '@kontoport/http';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import { renderPage } from '../pages/layout.ts';
import { LONGEST_LOGIN_CODE } from '../user-session/log-in-at-bank.ts';
import { answerApproval, identifyAtBank, identifyUser } from './answer-approval.ts';
import { approvalErrorPage, approvalUnknown } from './approval-error-page.ts';
import { notLoggedInPage } from './approval-pages.ts';
import {
  type ApprovalPages,
  openApproval,
  type Opening,
  pathOf,
  showApproval,
  type Shown,
  showUsers,
} from './show-approval.ts';

/** A field that shows where a form comes from, or what it is about. */
const token = z.string().max(100);

const query = z.object({
  user: z.string().max(100).optional().meta({ description: 'Who the user has said they are.' }),
  proof: token.optional().meta({ description: 'That they have, in this browser.' }),
  answered: z.literal('yes').optional().meta({ description: 'They have answered here, and wait.' }),
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
const answerForm = z.strictObject({ [TOKEN_FIELD]: token, user: uuid, digest: z.string().max(100) });

const common = {
  clause: '§4.4',
  security: { kind: 'public' },
  errors: approvalErrorPage,
  // No longer id is worth asking for.
  params: z.object({ approvalId: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/) }),
  unknown: approvalUnknown,
} as const;

const exampleToken = 'qUsxmUcLVrTmC9cmGDyRsV7JJfRZlFvkKZ3xfBRIDmo';
const exampleUser = '0b8a4f6a-6a3c-4f4e-9d0e-1c2b3a4d5e6f';
const page = { description: 'The page.', html: true } as const;

/** The pages behind an authUrl, opened by the user's browser without client certificate (§4.4). */
export function approvalRoutes(deps: ApprovalPages): Route[] {
  return [
    route({
      ...common,
      clause: ['§4.4', '§Sandbox'],
      method: 'GET',
      path: '/approvals/:approvalId',
      summary: 'Open the approval of payments',
      description:
        'Whoever is not known yet is asked who they are; then the page shows who asks, from which account, to whom and how ' +
        'much. In the sandbox payments are approved already, and the browser goes on to the redirectUrl.',
      query,
      answers: {
        200: page,
        303: {
          description: "On to the redirectUrl, where nobody is asked; or to the bank's login.",
          redirect: true,
        },
      },
      handler: async (request) => answerWith(await showApproval(deps, openingOf(request), request.query)),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/approvals/:approvalId/user',
      summary: 'Ask who the user is who is to approve',
      answers: { 200: page, 303: { description: "On to the bank's login.", redirect: true } },
      handler: async (request) =>
        answerWith(await showUsers(deps, await openApproval(deps, openingOf(request), undefined))),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/approvals/:approvalId/user',
      summary: 'Say who the user is who is to approve',
      body: { form: userForm, example: { [TOKEN_FIELD]: exampleToken, user: exampleUser } },
      answers: { 303: { description: 'On to what is asked.', redirect: true } },
      refusals: ['STATUS_INVALID'],
      handler: async (request) => ({
        status: 303,
        redirect: await identifyUser(deps, openingOf(request), request.body),
      }),
    }),
    loginRoute(deps),
    answerRoute(deps, 'approve', 'Approve the payments'),
    answerRoute(deps, 'decline', 'Decline the payments'),
  ];
}

function loginRoute(deps: ApprovalPages): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/approvals/:approvalId/login',
    summary: "Come back from the bank's login to an approval",
    query: loginQuery,
    answers: {
      200: { description: 'The page that offers to log in again: nobody is logged in.', html: true },
      303: { description: 'On to what is asked.', redirect: true },
    },
    handler: async (request) => {
      const opening = openingOf(request);
      const location = await identifyAtBank(deps, opening, request.query.code);
      const { language } = opening;
      const again = pathOf(opening, '/user');
      return answerWith({
        ...(location === undefined ? notLoggedInPage({ language, again }) : { location }),
        cookie: {},
      });
    },
  });
}

function answerRoute(deps: ApprovalPages, decision: 'approve' | 'decline', summary: string): Route {
  return route({
    ...common,
    method: 'POST',
    path: `/approvals/:approvalId/${decision}`,
    summary,
    description: 'The first answer stands: whoever says more is told how it stands.',
    body: {
      form: answerForm,
      example: { [TOKEN_FIELD]: exampleToken, user: exampleUser, digest: exampleToken },
    },
    answers: {
      200: {
        description: 'The page that leads back to the redirectUrl.',
        html: true,
        headers: {
          Refresh: 'Where it leads, at once: a redirect would be one of the form (Content-Security-Policy).',
        },
      },
      303: { description: 'On to the page that waits for the bank.', redirect: true },
    },
    refusals: ['STATUS_INVALID'],
    handler: async (request) => {
      const { token: given, user, digest } = request.body;
      const shown = await answerApproval(deps, openingOf(request), { decision, token: given, user, digest });
      return answerWith({ ...shown, cookie: {} });
    },
  });
}

function openingOf(request: {
  params: { approvalId: string };
  headers: IncomingHttpHeaders;
  language: Language;
  signal: AbortSignal;
}): Opening {
  const { params, headers, language, signal } = request;
  return { approvalId: params.approvalId, headers, language, signal };
}

function answerWith(shown: Shown) {
  const { cookie } = shown;
  if ('location' in shown)
    return { status: 303, headers: { ...PAGE_HEADERS, ...cookie }, redirect: shown.location } as const;
  const { html, headers } = renderPage(shown);
  return { status: 200, language: shown.language, html, headers: { ...headers, ...cookie } } as const;
}
