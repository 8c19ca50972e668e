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

/** An authenticated caller: its principal, for the handler. */
export interface Caller {
  principal: object;
}

/** The caller as far as an authenticator knows it, also when it refuses the request. For logs. */
export interface CallerIdentity {
  /** The organizationIdentifier of an accepted certificate. */
  organization?: string;
  /** The client of an accepted token, or of credentials that a handler accepted. */
  clientId?: string;
}

/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Record<Lowercase<string>, string>;

/** A request whose caller is to be authenticated. */
export interface AuthenticationRequest {
  request: IncomingMessage;
  now: Date;
  /** Headers of the answer, of a refusal too; an authenticator may add some. */
  headers: AnswerHeaders;
  /** An authenticator fills it as it proceeds. */
  identity: CallerIdentity;
}

/** Authenticates callers. */
export interface Authenticator<S extends SecurityRule> {
  /** @throws ApiError when the caller does not have what `security` requires. */
  authenticate(security: S, incoming: AuthenticationRequest): Caller | Promise<Caller>;
  /**
   * Does what an authenticated caller requests by the header X-Sandbox-Fault: refuses, or waits. Absent in production.
   * @throws ApiError the requested refusal, or FORMAT_ERROR for an unknown value
   */
  simulateFault?: ((fault: string, incoming: AuthenticationRequest) => Promise<void>) | undefined;
}

/** The arguments of a look-up of a route's resource. */
export interface ResourceRequest<Principal, Params> {
  principal: Principal;
  params: Params;
  now: Date;
  /** Aborted when the caller disconnects. */
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
  /** A handler that authenticates the client itself adds it. */
  readonly identity: CallerIdentity;
  /** The header, present at most once. */
  authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The id in the answer and the log: the caller's own, or a new one. */
  requestId: string;
  /** The caller's own X-Request-Id. */
  givenRequestId: string | undefined;
  /** Renders the pages of the address. */
  readonly shell: Shell;
  /** The language of X-Language. */
  language: Language;
}

type Schema = z.ZodType | undefined;
type ParamsSchema = z.ZodObject | undefined;

type ParamsOf<P extends ParamsSchema> = P extends z.ZodObject ? z.output<P> : Record<never, never>;
type QueryOf<Q extends Schema> = Q extends z.ZodType ? z.output<Q> : undefined;

/** A route: an entry of the access list and of the OpenAPI document. */
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
  /**
   * Looks up the resource of the path, before query and body are read. @throws ApiError for one that is not the
   * caller's
   */
  resource?: (request: ResourceRequest<Principal, ParamsOf<P>>) => Promise<Resource>;
  /**
   * Replaces `resource` for a handler that checks existence and reads in one step. Called only before a 400, so that
   * the 404 precedes it. @throws ApiError for a resource that is not the caller's
   */
  exists?: (request: ResourceRequest<Principal, ParamsOf<P>>) => Promise<unknown>;
  query?: Q;
  body?: B;
  /** The successful answers; no other status compiles. */
  answers: A;
  /** Refusals besides those of security, params, query and body. */
  refusals?: readonly Refusal[];
  /** Shape of this route's error bodies: RFC 6749 §5.2 at the token endpoint, a page for people; default JSON. */
  errors?: ErrorForm;
  deprecated?: Deprecation;
  handler: (
    request: RouteRequest<Principal, ParamsOf<P>, QueryOf<Q>, BodyOf<B>, Resource>,
  ) => Reply<StatusOf<A>> | Promise<Reply<StatusOf<A>>>;
}

/** A route without its type parameters, so that all routes fit into one list. */
export interface Route<S extends SecurityRule = SecurityRule> extends Omit<
  RouteDefinition<S, unknown, z.ZodObject, z.ZodType, BodyRule, unknown, Answers>,
  'handler' | 'resource' | 'exists'
> {
  resource?: (request: ResourceRequest<unknown, unknown>) => Promise<unknown>;
  exists?: (request: ResourceRequest<unknown, unknown>) => Promise<unknown>;
  handler: (request: RouteRequest<unknown, unknown, unknown, unknown, unknown>) => Reply | Promise<Reply>;
}

/**
 * Removes the type parameters of a checked definition.
 * @throws TypeError when the schema of the parameters does not have the names of the path
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
