import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@kontoport/errors';
import type { Closable, Logger } from '@kontoport/runtime';
import express, { type Express, type Request, type Response } from 'express';
import { endWithRefusal } from './broken-request.ts';
import { refuseDoubled } from './doubled.ts';
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
}

const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than an ordinary request takes, and short enough to leave the rest of the drain its time. */
const DRAIN_LIMIT_MS = 8_000;

/** The express application of a route list: every answer, errors and unknown routes included, in the specified shape. */
function createHttpApp<S extends SecurityRule>(
  options: Omit<HttpServerOptions<S>, 'host' | 'port'>,
): Express {
  const { routes, gate, logger, prefixes = [], elsewhere } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);

  for (const prefix of ['', ...prefixes]) {
    for (const route of routes) app[verb(route)](prefix + route.path, serveRoute({ route, gate, logger }));
    for (const path of new Set(routes.map((route) => route.path)))
      app.all(prefix + path, serveMethods(methodsOf(routes, path)));
  }
  app.use((request) => {
    refuseDoubled(request);
    throw routeUnknown(elsewhere?.(request.path));
  });
  app.use((error: unknown, request: Request, response: Response, _next: unknown) =>
    refuse({ request, response, error, logger }),
  );
  return app;
}

/** What a path answers to, as `Allow` lists it (§4). */
function methodsOf(routes: readonly Route[], path: string): string {
  const own = routes.filter((route) => route.path === path).map(({ method }) => method);
  return [...own.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

/** Answers OPTIONS, and refuses a method that the path does not have. */
function serveMethods(methods: string): (request: Request, response: Response) => void {
  return (request, response) => {
    refuseDoubled(request);
    response.setHeader('allow', methods);
    if (request.method !== 'OPTIONS')
      throw new ApiError('METHOD_NOT_ALLOWED', HTTP_TEXTS('method-not-allowed', { methods }));
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
    HTTP_TEXTS('request-broken', { kilobytes: MAX_HEADER_BYTES / 1024 }),
  );
  endWithRefusal(socket, refusal);
}

function verb(route: { method: Method }): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}
