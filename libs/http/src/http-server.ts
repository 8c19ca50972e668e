import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@kontoport/errors';
import { type Closable, inTrace, type Logger } from '@kontoport/runtime';
import express, { type Express, type Request, type Response } from 'express';
import { prefersHtml } from './accept.ts';
import { endWithRefusal, expectationUnknown, hostMissing, refuseTunnel } from './broken-request.ts';
import type { ErrorForm } from './refusal-reply.ts';
import { requestIdOf } from './request-id.ts';
import { routeUnknown } from './route-unknown.ts';
import type { Gatekeeper, Method, Route, SecurityRule } from './route.ts';
import { refuse, serveRoute } from './serve-route.ts';
import { HTTP_TEXTS } from './texts.ts';

export interface HttpServerOptions<S extends SecurityRule> {
  host: string;
  port: number;
  routes: readonly Route<S>[];
  gate: Gatekeeper<S>;
  logger: Logger;
  /** Path prefixes under which every route answers; default: none besides the plain path. */
  prefixes?: readonly string[];
  /** The name of another address that answers a path; for the message of ROUTE_UNKNOWN. */
  elsewhere?: (path: string) => string | undefined;
  /** Milliseconds that closing waits for requests in flight (default 8,000). */
  drainLimitMs?: number;
  /** Of the refusals that no route makes, such as of what is no HTTP; default: JSON. */
  errors?: ErrorForm | undefined;
}

const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than an ordinary request takes, and short enough to leave the rest of the drain its time. */
const DRAIN_LIMIT_MS = 8_000;

/** The express application of a route list: every answer, errors and unknown routes included, in the specified shape. */
function createHttpApp<S extends SecurityRule>(
  options: Omit<HttpServerOptions<S>, 'host' | 'port'>,
): Express {
  const { routes, gate, logger, prefixes = [], elsewhere, errors } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);

  for (const prefix of ['', ...prefixes]) {
    for (const route of routes) app[verb(route)](prefix + route.path, serveRoute({ route, gate, logger }));
    for (const path of new Set(routes.map((route) => route.path)))
      app.all(prefix + path, serveMethods({ routes: routes.filter((route) => route.path === path), logger }));
  }
  app.use((request: Request, response: Response) => {
    // Whoever reads pages here may have mistyped one; the others are programs that lost their way.
    const form = errors !== 'oauth' && prefersHtml(request.headers.accept) ? errors : undefined;
    const error = routeUnknown(elsewhere?.(request.path));
    refuse({ request, response, error, form, logger });
  });
  app.use((error: unknown, request: Request, response: Response, _next: unknown) =>
    refuse({ request, response, error, form: errors, logger }),
  );
  return app;
}

/** Answers OPTIONS with what a path answers to (§4), and refuses a method that it does not have. */
function serveMethods(options: {
  /** Those of the path. */
  routes: readonly Route[];
  logger: Logger;
}): (request: Request, response: Response) => void {
  const { routes, logger } = options;
  const own = routes.map(({ method }) => method);
  const methods = [...own.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method])), 'OPTIONS'];
  const allow = methods.join(', ');
  const notAllowed = new ApiError('METHOD_NOT_ALLOWED', HTTP_TEXTS('method-not-allowed', { methods: allow }));
  const form = routes.find(({ errors }) => errors !== undefined)?.errors;
  return (request, response) => {
    response.setHeader('allow', allow);
    if (request.method !== 'OPTIONS') return refuse({ request, response, error: notAllowed, form, logger });
    response.setHeader('x-request-id', requestIdOf(request).requestId);
    response.status(204).end();
  };
}

/** Serves the routes over HTTP behind the edge; closing finishes the requests in flight, within `drainLimitMs`. */
export async function startHttpServer<S extends SecurityRule>(
  options: HttpServerOptions<S>,
): Promise<Closable & { port: number }> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    // Refused as a request, with a body.
    requireHostHeader: false,
  });
  // The edge keeps connections; ours must live longer than its own idle limit, or it would race our close.
  server.keepAliveTimeout = 75_000;
  const app = createHttpApp(options);
  const { errors: form, logger } = options;
  const refuseEarly = (request: IncomingMessage, response: ServerResponse, error: ApiError): void =>
    refuse({ request, response, error, form, logger });
  const underWay = new WeakMap<Duplex, number>();
  const counted = (request: IncomingMessage, response: ServerResponse, answer: () => void): void => {
    const { socket } = request;
    const count = (change: 1 | -1): void => void underWay.set(socket, (underWay.get(socket) ?? 0) + change);
    count(1);
    response.once('close', () => count(-1));
    inTrace(traceparentOf(request), answer);
  };
  server.on('request', (request, response) =>
    counted(request, response, () =>
      request.headers.host === undefined
        ? refuseEarly(request, response, hostMissing())
        : app(request, response),
    ),
  );
  server.on('checkExpectation', (request, response) =>
    counted(request, response, () => refuseEarly(request, response, expectationUnknown())),
  );
  server.on('connect', (_request, socket) => refuseTunnel(socket, form));
  server.on('clientError', (error, socket) =>
    (underWay.get(socket) ?? 0) > 0 && socket instanceof Socket && socket.bytesWritten > 0
      ? socket.destroy()
      : refuseBrokenRequest(error, socket, form),
  );
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

function traceparentOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined;
}

/** Answers what is not HTTP enough to become a request, on a connection on which no other answer is under way. */
function refuseBrokenRequest(
  { code }: NodeJS.ErrnoException,
  socket: Duplex,
  form: ErrorForm | undefined,
): void {
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    code === 'HPE_HEADER_OVERFLOW'
      ? new ApiError(
          'FORMAT_ERROR',
          HTTP_TEXTS('headers-too-large', { kilobytes: MAX_HEADER_BYTES / 1024 }),
          {
            status: 431,
          },
        )
      : new ApiError('FORMAT_ERROR', HTTP_TEXTS('request-broken'));
  endWithRefusal(socket, refusal, { form });
}

function verb(route: { method: Method }): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}
