import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, toApiError } from '@kontoport/errors';
import { type Closable, describeError, type Logger } from '@kontoport/runtime';
import express, { type Express, type Request, type Response } from 'express';
import { z } from 'zod';
import { checkShape, readBody } from './body.ts';
import { errorReply, oauthErrorReply } from './error-reply.ts';
import type { Gatekeeper, Reply, Route, SecurityRule } from './route.ts';

export interface HttpServerOptions<S extends SecurityRule> {
  host: string;
  port: number;
  routes: readonly Route<S>[];
  gate: Gatekeeper<S>;
  logger: Logger;
  /** Path prefixes under which every route answers; default: none besides the plain path. */
  prefixes?: readonly string[];
  /** Milliseconds that closing waits for requests in flight (default 8,000). */
  drainLimitMs?: number;
}

const MAX_HEADER_BYTES = 64 * 1024;
const MAX_DISCARDED_BYTES = 1024 * 1024;
/** Longer than an ordinary request takes, and short enough to leave the rest of the drain its time. */
const DRAIN_LIMIT_MS = 8_000;
const NO_QUERY = z.strictObject({});
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The express application of a route list: every answer, errors and unknown routes included, in the specified shape. */
export function createHttpApp<S extends SecurityRule>(
  options: Omit<HttpServerOptions<S>, 'host' | 'port'>,
): Express {
  const { routes, gate, logger, prefixes = [] } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);

  const serve = (route: Route<S>) => async (request: Request, response: Response) => {
    const started = performance.now();
    const given = takeRequestId(request);
    const requestId = given ?? randomUUID();
    const away = new AbortController();
    response.once('close', () => away.abort());
    let clientId: string | undefined;
    let refusal: ApiError | undefined;
    try {
      if (given === undefined)
        throw new ApiError(
          'FORMAT_ERROR',
          'X-Request-Id must be 1 to 128 letters, digits, dots, dashes or underscores.',
        );
      response.setHeader('x-request-id', requestId);
      const now = new Date();
      const caller = await gate.prove(route.security, request, now);
      ({ clientId } = caller);
      const query = takeQuery(route, request);
      const body = route.body ? await readBody(request, route.body) : undefined;
      const params = request.params as Record<string, string>;
      const { headers } = request;
      send(
        response,
        await route.handler({
          proven: caller.proven,
          params,
          query,
          body,
          headers,
          requestId,
          now,
          signal: away.signal,
        }),
      );
    } catch (error) {
      refusal = toApiError(error);
      sendError({ request, response, route, refusal, requestId });
    }
    logOutcome(logger, refusal, {
      method: route.method,
      route: route.path,
      status: response.statusCode,
      milliseconds: Math.round(performance.now() - started),
      requestId,
      ...(clientId === undefined ? {} : { clientId }),
    });
  };

  for (const prefix of ['', ...prefixes]) {
    for (const route of routes) app[verb(route)](prefix + route.path, serve(route));
    for (const path of new Set(routes.map((route) => route.path)))
      app.all(prefix + path, (_request, response) => {
        const allowed = routes.filter((route) => route.path === path).map((route) => route.method);
        response.setHeader('allow', allowed.join(', '));
        throw new ApiError('METHOD_NOT_ALLOWED', `The path knows ${allowed.join(', ')} only.`);
      });
  }
  app.use(() => {
    throw new ApiError('ROUTE_UNKNOWN', 'No route has this path.');
  });
  app.use((error: unknown, request: Request, response: Response, _next: unknown) => {
    const refusal =
      error instanceof URIError ? new ApiError('FORMAT_ERROR', 'The path is not valid.') : toApiError(error);
    const requestId = takeRequestId(request) ?? randomUUID();
    sendError({ request, response, refusal, requestId });
    logOutcome(logger, refusal, { method: request.method, status: response.statusCode, requestId });
  });
  return app;
}

/** Serves the routes over HTTP behind the edge; closing finishes the requests in flight, within `drainLimitMs`. */
export async function startHttpServer<S extends SecurityRule>(
  options: HttpServerOptions<S>,
): Promise<Closable & { port: number }> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: 30_000,
    headersTimeout: 10_000,
  });
  // The edge keeps connections; ours must live longer than its own idle limit, or it would race our close.
  server.keepAliveTimeout = 75_000;
  server.on('request', createHttpApp(options));
  server.on('clientError', refuseBrokenRequest);
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const idle = setInterval(() => server.closeIdleConnections(), 100);
      // A caller that never ends its request, or never begins one, must not keep the rest of the service from draining;
      // a closing server has no other limit.
      const limit = setTimeout(() => server.closeAllConnections(), options.drainLimitMs ?? DRAIN_LIMIT_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
}

/** Answers what is not HTTP enough to become a request, on a connection that nothing was answered on yet. */
function refuseBrokenRequest(_error: Error, socket: Duplex): void {
  if (!socket.writable || (socket instanceof Socket && socket.bytesWritten > 0)) {
    socket.destroy();
    return;
  }
  const refusal = new ApiError(
    'FORMAT_ERROR',
    `The request is not valid HTTP/1.1, its header is larger than ${MAX_HEADER_BYTES / 1024} KB, or it took too long.`,
  );
  const { status, headers, body } = errorReply(refusal, { requestId: randomUUID(), accept: undefined });
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}

/**
 * Reads and drops what the caller still sends, within bounds: a connection closed under it could lose the answer
 * (RFC 9112 §9.6).
 */
function discardRest(request: Request): void {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED_BYTES) request.destroy();
  });
}

/** One line per request; a path is never part of it, for it carries account ids. */
function logOutcome(logger: Logger, refusal: ApiError | undefined, fields: Record<string, unknown>): void {
  if (refusal === undefined) return logger.info(fields, 'request');
  const level = refusal.code === 'INTERNAL_ERROR' ? 'error' : refusal.status === 503 ? 'warn' : 'info';
  const silent = level === 'info' || refusal.cause === undefined;
  const error = silent ? {} : { error: describeError(refusal.cause) };
  logger[level]({ ...fields, errorCode: refusal.code, ...error }, 'request');
}

function verb(route: Route): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}

/** The caller's id, a new one when it sent none, undefined when what it sent is unusable. */
function takeRequestId(request: Request): string | undefined {
  const given = request.headersDistinct['x-request-id'];
  if (given === undefined) return randomUUID();
  return given.length === 1 && REQUEST_ID.test(given[0]!) ? given[0] : undefined;
}

/** A guarded route without query schema takes none (ADR 4); a public document ignores what browsers and caches add. */
function takeQuery(route: Route, request: Request): unknown {
  if (route.query) return checkShape(route.query, readQuery(request), 'query');
  if (route.security.kind !== 'public') checkShape(NO_QUERY, readQuery(request), 'query');
  return undefined;
}

function readQuery(request: Request): Record<string, string> {
  const start = request.url.indexOf('?');
  const pairs = [...new URLSearchParams(start < 0 ? '' : request.url.slice(start))];
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length)
    throw new ApiError('FORMAT_ERROR', 'A query parameter stands more than once.');
  return Object.fromEntries(pairs);
}

function send(response: Response, reply: Reply): void {
  response.statusCode = reply.status;
  response.setHeader('cache-control', 'no-store');
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (reply.json !== undefined) {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(reply.json));
  } else response.end(reply.text);
}

function sendError(options: {
  request: Request;
  response: Response;
  refusal: ApiError;
  requestId: string;
  route?: Route;
}): void {
  const { request, response, refusal, requestId, route } = options;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } =
    route?.errors === 'oauth'
      ? oauthErrorReply(refusal)
      : errorReply(refusal, { requestId, accept: request.headers.accept });
  response.setHeader('x-request-id', requestId);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!request.complete) discardRest(request);
  response.statusCode = status;
  response.end(request.method === 'HEAD' ? undefined : body);
}
