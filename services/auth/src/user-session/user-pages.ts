import { type Route, route } from '@kontoport/gate';
import { type Answers, type BodyRule, type ErrorPage, type RouteDefinition } from '@kontoport/http';
import { PAGE_HEADERS } from '@kontoport/pages';
import { z } from 'zod';
import { TOKEN_FIELD } from '../pages/form.ts';
import { foreignForm, requireSameOrigin } from './form-token.ts';
import { type Shown, UserContext, type UserPagesDeps } from './user-context.ts';

type Schema = z.ZodType | undefined;
type ParamsSchema = z.ZodObject | undefined;
type Public = { readonly kind: 'public' };
type Definition<P extends ParamsSchema, Q extends Schema, B extends BodyRule | undefined> = RouteDefinition<
  Public,
  object,
  P,
  Q,
  B,
  undefined,
  Answers
>;
type RequestOf<P extends ParamsSchema, Q extends Schema, B extends BodyRule | undefined> = Parameters<
  Definition<P, Q, B>['handler']
>[0];

/** The checked parameters of a path. */
export type ParamsOf<P extends ParamsSchema> = RequestOf<P, undefined, undefined>['params'];

/** A page, or a form, of the bank's users: a route without certificate whose handler gets the context of its user. */
interface UserPage<
  P extends ParamsSchema,
  Q extends Schema,
  B extends BodyRule | undefined,
  Resource,
> extends Pick<
  Definition<P, Q, B>,
  | 'method'
  | 'path'
  | 'clause'
  | 'summary'
  | 'description'
  | 'params'
  | 'unknown'
  | 'query'
  | 'body'
  | 'answers'
  | 'refusals'
> {
  errors: ErrorPage;
  /** Finds the resource of the path, before the token of a form is checked. @throws ApiError when it is not open to this browser */
  resource?: (context: UserContext, request: RequestOf<P, Q, B>) => Promise<Resource>;
  /** The fields that the token of the form covers; `user` among them identifies the user. */
  covered?: readonly string[];
  /** Requires a session, and answers without one. A form's token then covers the session's user. */
  signedOut?: (context: UserContext) => Shown;
  handler: (
    context: UserContext,
    request: Omit<RequestOf<P, Q, B>, 'resource'> & { resource: Resource },
  ) => Shown | Promise<Shown>;
}

/** A form field that holds a token, an id or a digest. */
export const shortField = z.string().max(100);

/** The query of an address that identifies its user. */
export const identifiedQuery = {
  user: shortField.optional().meta({ description: 'The identified user.' }),
  proof: shortField.optional().meta({ description: 'Proof that this browser identified the user.' }),
};

/**
 * Declares a page or form of the bank's users. Its steps: same origin, resource, session where required, form token, handler.
 * @throws ApiError STATUS_INVALID (409) for a form from another site, or without the token of its page
 */
export function userPage<
  P extends ParamsSchema = undefined,
  Q extends Schema = undefined,
  B extends BodyRule | undefined = undefined,
  Resource = undefined,
>(deps: UserPagesDeps, page: UserPage<P, Q, B, Resource>): Route {
  const { resource: find, covered, signedOut, handler: answer, ...definition } = page;
  const handler = async (asked: unknown) => {
    const request = asked as RequestOf<P, Q, B>;
    const context = new UserContext(deps, request);
    const path = pathOf(page.path, request.params);
    if (page.method === 'POST') requireSameOrigin(request.headers, deps.userUrl);
    const resource = (await find?.(context, request)) as Resource;
    const session = signedOut && (await context.session());
    if (signedOut && session === undefined) return reply(signedOut(context), context);
    context.userId = session?.userId;
    if (page.method === 'POST') readForm(context, { path, form: request.body as Fields, covered });
    else readAddress(context, path, request.query as Fields | undefined);
    return reply(await answer(context, { ...request, resource }), context);
  };
  return route({
    ...(definition as unknown as Omit<Definition<undefined, undefined, undefined>, 'handler'>),
    security: { kind: 'public' },
    // The index of the documentation finds the page's own handler by `wraps`.
    handler: Object.assign(handler, { wraps: [answer, find] }),
  });
}

type Fields = Readonly<Record<string, string | undefined>>;

function readForm(
  context: UserContext,
  { path, form, covered = [] }: { path: string; form: Fields; covered: readonly string[] | undefined },
): void {
  const fields = Object.fromEntries(covered.map((name) => [name, form[name] ?? '']));
  if (context.userId !== undefined) fields.user = context.userId;
  if (!context.isToken(form[TOKEN_FIELD] ?? '', path, fields)) throw foreignForm();
  context.userId ??= fields.user;
}

function readAddress(context: UserContext, path: string, query: Fields | undefined): void {
  const { user, proof } = query ?? {};
  if (proof !== undefined) context.readAddress(path, { user, proof });
}

/** The path of a request, from the template of its route. */
function pathOf(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/:(\w+)/g, (_, name: string) => String(params[name]));
}

function reply(shown: Shown, { cookies }: UserContext) {
  const setCookies = cookies.length > 0 && { 'set-cookie': cookies };
  if ('location' in shown)
    return { status: 303, headers: { ...PAGE_HEADERS, ...setCookies }, redirect: shown.location } as const;
  return { status: 200, page: shown, headers: { ...setCookies } } as const;
}
