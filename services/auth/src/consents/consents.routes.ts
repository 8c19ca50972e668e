import type { Route } from '@kontoport/gate';
import { call } from '@kontoport/grpc';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import {
  chosenUser,
  exampleToken,
  exampleUser,
  loginQuery,
  shownOrLogin,
} from '../user-session/identification.routes.ts';
import { shortField, userPage } from '../user-session/user-pages.ts';
import { consentsErrorPage, consentUnknown } from './consents-error-page.ts';
import { signedOutPage } from './consents-pages.ts';
import { type ConsentPages, requireClient, showConsents, showRevocation } from './show-consents.ts';

const plainForm = z.strictObject({ [TOKEN_FIELD]: shortField });
const example = { [TOKEN_FIELD]: exampleToken };

const common = { clause: '§5.9', errors: consentsErrorPage } as const;
const ofConsent = { params: z.object({ consentId: uuid }), unknown: consentUnknown } as const;

const back = { location: '/consents' } as const;
const backAnswer = { description: "Redirect to the user's consents.", redirect: true } as const;

/** The pages on which a user sees and withdraws consents (§5.9). */
export function consentRoutes(deps: ConsentPages): Route[] {
  return [...loginRoutes(deps), ...sessionRoutes(deps)];
}

function loginRoutes(deps: ConsentPages): Route[] {
  return [
    userPage(deps, {
      ...common,
      method: 'GET',
      path: '/consents',
      summary: "Show the user's consents",
      description:
        'The consents of the logged-in user. In the sandbox, `client_id` offers the simulated users of a client.',
      query: z.object({
        client_id: uuid.optional().meta({ description: 'The client whose simulated users are offered.' }),
        login_hint: shortField.optional().meta({ description: 'The simulated user to preselect.' }),
      }),
      answers: shownOrLogin,
      refusals: ['RESOURCE_UNKNOWN'],
      handler: (context, { query }) => showConsents(deps, context, query),
    }),
    userPage(deps, {
      ...common,
      method: 'GET',
      path: '/consents/login',
      summary: "Return from the bank's login to the consents",
      query: loginQuery,
      answers: {
        200: { description: 'The page of a user who is not logged in.', html: true },
        303: backAnswer,
      },
      handler: async (context, { query }) => {
        const userId = await context.completeLogin('/consents', query.code);
        return userId === undefined ? signedOutPage(context.language) : back;
      },
    }),
    userPage(deps, {
      ...common,
      method: 'POST',
      path: '/consents/login',
      summary: 'Log in as a simulated user',
      body: {
        form: z.strictObject({ [TOKEN_FIELD]: shortField, client: uuid, ...chosenUser }),
        example: { ...example, client: exampleUser, user: exampleUser },
      },
      covered: ['client'],
      answers: { 303: backAnswer },
      refusals: ['STATUS_INVALID', 'RESOURCE_UNKNOWN'],
      handler: async (context, { body: { client, user } }) => {
        requireClient(deps.directory, client);
        const userId = await context.chooseUser(client, user);
        return userId === undefined ? { location: `/consents?client_id=${client}` } : back;
      },
    }),
  ];
}

function sessionRoutes(deps: ConsentPages): Route[] {
  const { consents } = deps;
  return [
    userPage(deps, {
      ...common,
      method: 'POST',
      path: '/consents/logout',
      summary: 'Log out',
      body: { form: plainForm, example },
      signedOut: () => back,
      answers: { 303: backAnswer },
      refusals: ['STATUS_INVALID'],
      handler: async (context) => {
        await context.logOut();
        return back;
      },
    }),
    userPage(deps, {
      ...common,
      ...ofConsent,
      method: 'GET',
      path: '/consents/:consentId/revoke',
      summary: 'Show the question whether to withdraw a consent',
      answers: { 200: { description: 'The page.', html: true } },
      handler: (context, { params }) => showRevocation(deps, context, params.consentId),
    }),
    userPage(deps, {
      ...common,
      ...ofConsent,
      method: 'POST',
      path: '/consents/:consentId/revoke',
      summary: 'Withdraw a consent',
      description:
        'After the answer the consent gives no access, and its client is notified (§6). Repeatable.',
      body: { form: plainForm, example },
      signedOut: () => back,
      answers: { 303: backAnswer },
      refusals: ['STATUS_INVALID'],
      handler: async ({ userId = '', signal }, { params: { consentId } }) => {
        await call(consents, consents.revokeConsent, { consentId, userId }, { signal });
        return back;
      },
    }),
  ];
}
