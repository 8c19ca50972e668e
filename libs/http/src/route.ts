import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ApiError, Language } from '@kontoport/errors';
import type { Shell } from '@kontoport/pages';
import type { z } from 'zod';
import type { Answers, Clause, Refusal, StatusOf } from './answers.ts';
import type { BodyOf, BodyRule } from './body-rule.ts';
import type { Deprecation } from './deprecation.ts';
import type { ErrorForm } from './page.ts';
import type { Reply } from './reply.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The authentication that a route requires. The authenticator defines the kinds; `public` requires none. */
export interface SecurityRule {
  readonly kind: string;
}

/** An authenticated caller: its principal, for the handler, and its client, for the log. */
export interface Caller {
  principal: object;
  clientId?: string;
  /** Makes the decision that the rule puts after resource, query and body. @throws ApiError */
  decideLast?: () => void;
}

/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Record<Lowercase<string>, string>;

/** A request whose caller is to be authenticated. */
export interface AuthenticationRequest {
  request: IncomingMessage;
  now: Date;
  /** Headers of the answer, of a refusal too; an authenticator may add some. */
  headers: AnswerHeaders;
}

/** Authenticates callers. */
export interface Authenticator<S extends SecurityRule> {
  /** @throws ApiError when the caller does not have what `security` requires. */
  authenticate(security: S, incoming: AuthenticationRequest): Caller | Promise<Caller>;
}

/** The arguments of a look-up of a route's resource. */
export interface ResourceRequest<Principal, Params> {
  principal: Principal;
  params: Params;
  now: Date;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

/** The arguments of a handler: the principal, and the checked parts of the request. */
export interface RouteRequest<Principal, Params, Query, Body, Resource> extends ResourceRequest<
  Principal,
  Params
> {
  query: Query;
  body: Body;
  resource: Resource;
  /** Sent once, or not at all. */
  authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Under which the request is answered and logged: the caller's own, or one of ours. */
  requestId: string;
  /** Only what the caller sent as X-Request-Id. */
  givenRequestId: string | undefined;
  /** Renders the pages of the address. */
  readonly shell: Shell;
  /** Of X-Language. */
  language: Language;
}

type Schema = z.ZodType | undefined;
type ParamsSchema = z.ZodObject | undefined;

type ParamsOf<P extends ParamsSchema> = P extends z.ZodObject ? z.output<P> : Record<never, never>;
type QueryOf<Q extends Schema> = Q extends z.ZodType ? z.output<Q> : undefined;

/** One line of a service's access list, and of the interface that is made from it. */
export interface RouteDefinition<
  S extends SecurityRule,
  Principal,
  P extends ParamsSchema,
  Q extends Schema,
  B extends BodyRule | undefined,
  Resource,
  A extends Answers,
> {
  method: Method;
  /** A segment that begins with a colon is a name, for example `/tpp/:clientId` (ADR-0004). */
  path: string;
  /** The sections of the contract that the route keeps. */
  clause: Clause | readonly Clause[];
  /** One line, for the list of operations. */
  summary: string;
  description?: string;
  security: S;
  /** The parameters of the path, by their names there; a malformed one is `unknown()`. */
  params?: P;
  /** The refusal of a malformed parameter (default: RESOURCE_UNKNOWN), the same as for one that names nothing. */
  unknown?: () => ApiError;
  /** Looks up what the path names, before query and body are read. @throws ApiError for what is not the caller's. */
  resource?: (request: ResourceRequest<Principal, ParamsOf<P>>) => Promise<Resource>;
  /**
   * In place of `resource`, for a handler that decides existence and reads in one step: asked only when the request
   * is refused with 400, so that the 404 still goes before it. @throws ApiError for what is not the caller's.
   */
  exists?: (request: ResourceRequest<Principal, ParamsOf<P>>) => Promise<unknown>;
  query?: Q;
  body?: B;
  /** What is answered when nothing is refused; no other status compiles. */
  answers: A;
  /** Refusals beyond those that follow from security, params, query and body. */
  refusals?: readonly Refusal[];
  /** Shape of this route's error bodies: RFC 6749 §5.2 at the token endpoint, a page for people; default JSON. */
  errors?: ErrorForm;
  deprecated?: Deprecation;
  handler: (
    request: RouteRequest<Principal, ParamsOf<P>, QueryOf<Q>, BodyOf<B>, Resource>,
  ) => Reply<StatusOf<A>> | Promise<Reply<StatusOf<A>>>;
}

/** A route whose types are checked and then set aside, so that routes of all kinds fit into one list. */
export interface Route<S extends SecurityRule = SecurityRule> extends Omit<
  RouteDefinition<S, unknown, z.ZodObject, z.ZodType, BodyRule, unknown, Answers>,
  'handler' | 'resource' | 'exists'
> {
  resource?: (request: ResourceRequest<unknown, unknown>) => Promise<unknown>;
  exists?: (request: ResourceRequest<unknown, unknown>) => Promise<unknown>;
  handler: (request: RouteRequest<unknown, unknown, unknown, unknown, unknown>) => Reply | Promise<Reply>;
}

/**
 * Sets the types of a checked definition aside.
 * @throws TypeError when the schema of the parameters names others than the path.
 */
export function declareRoute<
  S extends SecurityRule,
  Principal,
  P extends ParamsSchema,
  Q extends Schema,
  B extends BodyRule | undefined,
  Resource,
  A extends Answers,
>(definition: RouteDefinition<S, Principal, P, Q, B, Resource, A>): Route<S> {
  const { path, params } = definition;
  const named = [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => name!);
  const read = Object.keys(params?.shape ?? {});
  if (named.length !== read.length || !named.every((name) => read.includes(name)))
    throw new TypeError(`${path}: the schema of the parameters has ${read.join(', ') || 'none'}`);
  return definition as unknown as Route<S>;
}
