import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { BodyRule } from './body.ts';
import type { Proven, Security } from './security.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a handler gets: what was proven of the caller, and the checked parts of the request. */
export interface RouteRequest<S extends Security, Body, Query> {
  proven: Proven<S>;
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
export interface RouteDefinition<S extends Security, Body, Query> {
  method: Method;
  /** Express 5 path, for example `/tpp/:clientId`. */
  path: string;
  security: S;
  body?: BodyRule<Body>;
  query?: z.ZodType<Query>;
  /** Shape of this route's error bodies; the token endpoint follows RFC 6749 §5.2. */
  errors?: 'oauth';
  handler: (request: RouteRequest<S, Body, Query>) => Promise<Reply>;
}

/** A route whose types are checked and then set aside, so that routes of all kinds fit into one list. */
export type Route = RouteDefinition<Security, unknown, unknown>;

/** Declares a route; without `security` it does not compile. */
export function route<const S extends Security, Body = undefined, Query = undefined>(
  definition: RouteDefinition<S, Body, Query>,
): Route {
  return definition as unknown as Route;
}
