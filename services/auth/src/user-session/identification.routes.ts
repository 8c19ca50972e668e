import type { ApiError, Text } from '@kontoport/errors';
import type { Route } from '@kontoport/gate';
import type { ErrorPage, Refusal } from '@kontoport/http';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import { notLoggedInPage } from './identification-pages.ts';
import type { UserContext, UserPagesDeps, UserQuestion } from './user-context.ts';
import { type ParamsOf, shortField, userPage } from './user-pages.ts';

/** Longer codes are invalid (kontoport.bank.v1). */
const LONGEST_LOGIN_CODE = 4_096;

/** The query with which the bank's login redirects a browser to us. */
export const loginQuery = z.object({
  code: z
    .string()
    .max(LONGEST_LOGIN_CODE)
    .optional()
    .meta({ description: 'The id of the login that the bank completed.' }),
  error: shortField.optional().meta({ description: 'The login failed.' }),
});

/** The field of the form for choosing a simulated user. */
export const chosenUser = { user: shortField.optional() };

export const exampleToken = 'qUsxmUcLVrTmC9cmGDyRsV7JJfRZlFvkKZ3xfBRIDmo';
export const exampleUser = '0b8a4f6a-6a3c-4f4e-9d0e-1c2b3a4d5e6f';

const userForm = z.strictObject({ [TOKEN_FIELD]: shortField, ...chosenUser });

/** The answers of a page that may send the browser to the bank's login. */
export const shownOrLogin = {
  200: { description: 'The page.', html: true },
  303: { description: "Redirect to the bank's login.", redirect: true },
} as const;

/** The routes below a page that identify its user: the question, its answer, and the return from the bank's login. */
export function identificationRoutes<P extends z.ZodObject>(
  deps: UserPagesDeps,
  options: {
    /** The template of the page that needs a user. */
    path: string;
    common: { clause: `§${string}`; params: P; unknown: () => ApiError; errors: ErrorPage };
    summaries: { ask: string; choose: string; login: string };
    question: (context: UserContext, request: { params: ParamsOf<P> }) => Promise<UserQuestion>;
    /** Refusals of the question beside unknown paths. */
    refusals?: readonly Refusal[];
    notLoggedIn: (question: UserQuestion) => Text;
  },
): Route[] {
  const { path, common, summaries, question, refusals = [], notLoggedIn } = options;
  const shared = { ...common, resource: question, refusals } as const;
  const identified = {
    description: 'Redirect to the page, with the cookie of a session.',
    redirect: true,
  } as const;
  return [
    userPage(deps, {
      ...shared,
      method: 'GET',
      path: `${path}/user`,
      summary: summaries.ask,
      answers: shownOrLogin,
      handler: (context, { resource }) => context.askUser(resource),
    }),
    userPage(deps, {
      ...shared,
      method: 'POST',
      path: `${path}/user`,
      summary: summaries.choose,
      body: { form: userForm, example: { [TOKEN_FIELD]: exampleToken, user: exampleUser } },
      answers: { 303: identified },
      refusals: ['STATUS_INVALID'],
      handler: async (context, { resource, body }) => {
        const userId = await context.chooseUser(resource.clientId, body.user);
        if (userId === undefined) return { location: `${resource.path}/user` };
        return { location: context.identifiedPath(resource.path, userId) };
      },
    }),
    userPage(deps, {
      ...shared,
      method: 'GET',
      path: `${path}/login`,
      summary: summaries.login,
      query: loginQuery,
      answers: {
        200: { description: 'The page that offers another login: the user is not logged in.', html: true },
        303: identified,
      },
      handler: async (context, { resource, query }) => {
        const userId = await context.completeLogin(resource.path, query.code);
        if (userId === undefined) return notLoggedInPage({ ...resource, text: notLoggedIn(resource) });
        return { location: context.identifiedPath(resource.path, userId) };
      },
    }),
  ];
}
