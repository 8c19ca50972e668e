import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { BodyRule } from './body.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a route demands of its caller. Which kinds there are the gatekeeper says; a `public` one demands nothing. */
export interface SecurityRule {
  readonly kind: string;
}

/** Who was let in: what was proven, as the handler gets it, and the client for the log. */
export interface Caller {
  proven: object;
  clientId?: string;
}

/** Decides who comes in. */
export interface Gatekeeper<S extends SecurityRule> {
  /** @throws ApiError when the caller has not proven what `security` demands. */
  prove(security: S, request: IncomingMessage, now: Date): Promise<Caller>;
}

/** What a handler gets: what was proven of the caller, and the checked parts of the request. */
export interface RouteRequest<Proven, Body, Query> {
  proven: Proven;
  /** Path parameters by name, decoded. */
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  requestId: string;
  now: Date;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

/** An answer: `json` is serialised (JSON.rawJSON for exact amounts); `text` is sent as it is. */
export type Reply = { status: number; headers?: Record<string, string> } & (
  | { json: unknown; text?: undefined }
  | { text: string; json?: undefined }
  | { json?: undefined; text?: undefined }
);

/** One line of a service's access list. */
export interface RouteDefinition<S extends SecurityRule, Proven, Body, Query> {
  method: Method;
  /** Express 5 path, for example `/tpp/:clientId`. */
  path: string;
  security: S;
  body?: BodyRule<Body>;
  query?: z.ZodType<Query>;
  /** Shape of this route's error bodies; the token endpoint follows RFC 6749 §5.2. */
  errors?: 'oauth';
  handler: (request: RouteRequest<Proven, Body, Query>) => Promise<Reply>;
}

/** A route whose types are checked and then set aside, so that routes of all kinds fit into one list. */
export type Route<S extends SecurityRule = SecurityRule> = RouteDefinition<S, unknown, unknown, unknown>;

/** Sets the types of a checked definition aside. */
export function declareRoute<S extends SecurityRule, Proven, Body, Query>(
  definition: RouteDefinition<S, Proven, Body, Query>,
): Route<S> {
  return definition as unknown as Route<S>;
}
