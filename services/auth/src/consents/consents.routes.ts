import type { IncomingHttpHeaders } from 'node:http';
import { type Route, route } from '@kontoport/gate';
import { call } from '@kontoport/grpc';
import { PAGE_HEADERS, uuid } from '@kontoport/http';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import { renderPage } from '../pages/layout.ts';
import { browserKeyCookie, newBrowserKey, readBrowserKey } from '../user-session/browser-key.ts';
import { clearCookie } from '../user-session/cookie.ts';
import { requireFormToken, requireOwnForm } from '../user-session/form-token.ts';
import { completeLogin, LONGEST_LOGIN_CODE } from '../user-session/log-in-at-bank.ts';
import { sessionOfBankUser } from '../user-session/user-session.model.ts';
import { type LiveSession, logIn, logOut, SESSION_COOKIE, sessionOf } from '../user-session/user-session.ts';
import { consentsErrorPage, consentUnknown } from './consents-error-page.ts';
import { signedOutPage } from './consents-pages.ts';
import {
  type ConsentPages,
  CONSENTS_LOGIN,
  loginForConsents,
  proofOfLogin,
  proofOfSession,
  requireClient,
  showConsents,
  showLogin,
  showRevocation,
} from './show-consents.ts';

const token = z.string().max(100);
const loginQuery = z.object({
  client_id: uuid.optional().meta({ description: 'Whose simulated users are offered.' }),
  login_hint: z.string().max(100).optional().meta({ description: 'The one who is meant.' }),
});
const loginForm = z.strictObject({
  [TOKEN_FIELD]: token,
  client: uuid,
  user: z.string().max(100).optional(),
});
const plainForm = z.strictObject({ [TOKEN_FIELD]: token });

const common = { clause: '§5.9', security: { kind: 'public' }, errors: consentsErrorPage } as const;
const ofConsent = { params: z.object({ consentId: uuid }), unknown: consentUnknown } as const;

const example = { [TOKEN_FIELD]: 'qUsxmUcLVrTmC9cmGDyRsV7JJfRZlFvkKZ3xfBRIDmo' };
const exampleId = '0b8a4f6a-6a3c-4f4e-9d0e-1c2b3a4d5e6f';

const back = { status: 303, redirect: '/consents' } as const;
const backAnswer = { description: "Back to the user's consents.", redirect: true } as const;

/** What the bank's user has agreed to, and how it is taken back (§5.9). */
export function consentRoutes(deps: ConsentPages): Route[] {
  return [listRoute(deps), loginRoute(deps), ...sessionRoutes(deps), ...revocationRoutes(deps)];
}

function listRoute(deps: ConsentPages): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/consents',
    summary: "Show the user's consents",
    description:
      "Of the user who is logged in. In the sandbox, with `client_id`: ask as whom of the client's simulated users.",
    query: loginQuery,
    answers: {
      200: { description: 'The page.', html: true },
      303: { description: "On to the bank's login, where the bank's users log in.", redirect: true },
    },
    refusals: ['RESOURCE_UNKNOWN'],
    handler: async ({ query, headers, language, now, signal }) => {
      const session = await sessionOf(deps.db, { headers, now });
      const { login } = deps.userAuthentication;
      const { client_id: clientId, login_hint: loginHint } = query;
      const isAsked = login === undefined ? clientId !== undefined : session === undefined;
      if (!isAsked) {
        const page =
          session === undefined
            ? signedOutPage(language)
            : await showConsents(deps, session, { language, now, signal });
        return { status: 200, language, ...renderPage(page) };
      }
      const known = readBrowserKey(headers);
      const browserKey = known ?? newBrowserKey();
      const cookie: Record<string, string> = known ? {} : { 'set-cookie': browserKeyCookie(browserKey) };
      const atBank = await loginForConsents(deps, { browserKey, language, signal });
      if (atBank !== undefined)
        return { status: 303, headers: { ...PAGE_HEADERS, ...cookie }, redirect: atBank };
      const asked = { clientId: clientId ?? '', loginHint, browserKey, language, now, signal };
      const { html, headers: ofPage } = renderPage(await showLogin(deps, asked));
      return { status: 200, language, html, headers: { ...ofPage, ...cookie } };
    },
  });
}

function loginRoute({ db, userAuthentication }: ConsentPages): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/consents/login',
    summary: "Come back from the bank's login",
    query: z.object({
      code: z
        .string()
        .max(LONGEST_LOGIN_CODE)
        .optional()
        .meta({ description: 'That somebody is logged in, for the bank to say who.' }),
      error: z.string().max(100).optional().meta({ description: 'That nobody is.' }),
    }),
    answers: {
      200: { description: 'The page of somebody who is not logged in.', html: true },
      303: backAnswer,
    },
    handler: async ({ query: { code }, headers, language, now, signal }) => {
      const { login } = userAuthentication;
      const browserKey = readBrowserKey(headers);
      const user =
        login === undefined || browserKey === undefined || code === undefined
          ? undefined
          : await completeLogin({ login }, { browserKey, about: CONSENTS_LOGIN, code, signal });
      if (user === undefined) return { status: 200, language, ...renderPage(signedOutPage(language)) };
      const cookie = await logIn(db, { headers, user: sessionOfBankUser(user.userId), now });
      return { ...back, headers: { ...PAGE_HEADERS, 'set-cookie': cookie } };
    },
  });
}

function sessionRoutes(deps: ConsentPages): Route[] {
  const { db, directory, userAuthentication, userUrl } = deps;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/consents/login',
      summary: 'Log in as a simulated user',
      body: { form: loginForm, example: { ...example, client: exampleId, user: exampleId } },
      answers: { 303: backAnswer },
      refusals: ['STATUS_INVALID', 'RESOURCE_UNKNOWN'],
      handler: async ({ body, headers, now, signal }) => {
        const { client: clientId, user: userId } = body;
        requireOwnForm(headers, userUrl);
        const browserKey = readBrowserKey(headers) ?? newBrowserKey();
        requireFormToken(body.token, proofOfLogin(deps, { browserKey, clientId }));
        requireClient(directory, clientId);
        const users = await userAuthentication.usersFor(clientId, signal);
        const user = users.find((each) => each.userId === userId);
        if (user === undefined) return { ...back, redirect: `/consents?client_id=${clientId}` };
        const cookie = await logIn(db, { headers, user: { clientId, userId: user.userId }, now });
        return { ...back, headers: { 'set-cookie': cookie } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/consents/logout',
      summary: 'Log out',
      body: { form: plainForm, example },
      answers: { 303: backAnswer },
      refusals: ['STATUS_INVALID'],
      handler: async ({ body, headers, now }) => {
        const session = await ownSession(deps, { headers, now });
        if (session === undefined) return back;
        requireFormToken(body.token, proofOfSession(deps, session, 'log-out'));
        await logOut(db, session);
        return { ...back, headers: { 'set-cookie': clearCookie(SESSION_COOKIE) } };
      },
    }),
  ];
}

function revocationRoutes(deps: ConsentPages): Route[] {
  const { consents } = deps;
  return [
    route({
      ...common,
      ...ofConsent,
      method: 'GET',
      path: '/consents/:consentId/revoke',
      summary: 'Ask whether a consent is to be taken back',
      answers: { 200: { description: 'The page.', html: true } },
      handler: async ({ params, headers, language, now, signal }) => {
        const session = await sessionOf(deps.db, { headers, now });
        const page =
          session === undefined
            ? signedOutPage(language)
            : await showRevocation(deps, session, { ...params, language, now, signal });
        return { status: 200, language, ...renderPage(page) };
      },
    }),
    route({
      ...common,
      ...ofConsent,
      method: 'POST',
      path: '/consents/:consentId/revoke',
      summary: 'Take a consent back',
      description:
        'Once it is answered the consent opens nothing any more; its client hears of it (§6). Repeatable.',
      body: { form: plainForm, example },
      answers: { 303: backAnswer },
      refusals: ['STATUS_INVALID'],
      handler: async ({ params: { consentId }, body, headers, now, signal }) => {
        const session = await ownSession(deps, { headers, now });
        if (session === undefined) return back;
        requireFormToken(body.token, proofOfSession(deps, session, 'revoke', consentId));
        const { userId } = session;
        await call(consents, consents.revokeConsent, { consentId, userId }, { signal });
        return back;
      },
    }),
  ];
}

/** The session of a form that was not sent by another site. @throws ApiError STATUS_INVALID when it was */
function ownSession(
  { db, userUrl }: ConsentPages,
  { headers, now }: { headers: IncomingHttpHeaders; now: Date },
): Promise<LiveSession | undefined> {
  requireOwnForm(headers, userUrl);
  return sessionOf(db, { headers, now });
}
