import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@kontoport/errors';
import {
  type Closable,
  inServerSpan,
  type InternalTls,
  isOneOf,
  type Logger,
  nodeHttp,
  type Peer,
  peerOf,
} from '@kontoport/runtime';
import { prefersHtml } from './accept.ts';
import { endWithRefusal, expectationUnknown, hostMissing, refuseTunnel } from './broken-request.ts';
import { headerList, headerOf, headerValues } from './header-values.ts';
import { PathTable } from './path-table.ts';
import type { ErrorForm } from './refusal-reply.ts';
import { requestIdOf } from './request-id.ts';
import { measureRequest } from './request-metrics.ts';
import { endRequestSpan } from './request-span.ts';
import { routeUnknown } from './route-unknown.ts';
import type { Gatekeeper, Route, SecurityRule } from './route.ts';
import { refuse, serveRoute } from './serve-route.ts';
import { HTTP_TEXTS } from './texts.ts';
import { UnderWay } from './under-way.ts';

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
  /** Milliseconds that closing hears connections that idle (default 1,000). */
  lastCallMs?: number | undefined;
  /** Of the refusals that no route makes, such as of what is no HTTP; default: JSON. */
  errors?: ErrorForm | undefined;
  /** Absent: plaintext. With it nobody but `callers` is heard. */
  tls?: InternalTls | undefined;
  callers?: readonly Peer[];
}

/** How long requests go on over a connection whose time is over; one that idles is closed before. */
const GRACE_MS = 120_000;

const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than an ordinary request takes, and short enough to leave the rest of the drain its time. */
const DRAIN_LIMIT_MS = 8_000;
/**
 * An edge may send the next request over a connection in the moment in which we close it, and cannot know whether it was heard.
 * So connections go on for a while, and end with the next answer, which says so; by then the edge has chosen others.
 */
const LAST_CALL_MS = 1_000;

/** Answers a request, its named segments read. */
type Answerer = (
  request: IncomingMessage,
  response: ServerResponse,
  params: Readonly<Record<string, string>>,
) => void;

/** What a path answers to. */
interface Place {
  byMethod: ReadonlyMap<string, Answerer>;
  /** OPTIONS, and every method that the path does not have. */
  otherwise: Answerer;
}

/** Answers by a route list: every answer, errors and unknown routes included, in the specified shape. */
function createListener<S extends SecurityRule>(
  options: Omit<HttpServerOptions<S>, 'host' | 'port'>,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { routes, prefixes = [], elsewhere, errors, logger } = options;
  const places = new PathTable<Place>();
  for (const prefix of ['', ...prefixes])
    for (const path of new Set(routes.map((route) => route.path))) {
      const own = routes.filter((route) => route.path === path);
      places.set(prefix + path, placeOf({ ...options, routes: own, path: prefix + path }));
    }
  return (request, response) => {
    try {
      const path = pathOf(request.url!);
      const found = places.find(path);
      if (found === undefined) {
        // Whoever reads pages here may have mistyped one; the others are programs that lost their way.
        const form = errors !== 'oauth' && prefersHtml(headerList(request, 'accept')) ? errors : undefined;
        return refuse({ request, response, error: routeUnknown(elsewhere?.(path)), form, logger });
      }
      const { byMethod, otherwise } = found.value;
      (byMethod.get(request.method!) ?? otherwise)(request, response, found.params);
    } catch (error) {
      refuse({ request, response, error, form: errors, logger });
    }
  };
}

/** Of the target of a request (RFC 9112 §3.2): its path, whether a host stands before it or not. */
function pathOf(target: string): string {
  if (!target.startsWith('/')) return URL.parse(target)?.pathname ?? target;
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function placeOf<S extends SecurityRule>(options: {
  /** Those of the path. */
  routes: readonly Route<S>[];
  /** With its prefix. */
  path: string;
  gate: Gatekeeper<S>;
  logger: Logger;
}): Place {
  const { routes, path, gate, logger } = options;
  const byMethod = new Map<string, Answerer>();
  for (const route of routes) {
    const serve = serveRoute({ route, path, gate, logger });
    const answer: Answerer = (request, response, params) => void serve(request, response, params);
    if (!byMethod.has(route.method)) byMethod.set(route.method, answer);
    if (route.method === 'GET') byMethod.set('HEAD', answer);
  }
  return { byMethod, otherwise: serveMethods({ routes, path, logger }) };
}

/** Answers OPTIONS with what a path answers to (§4), and refuses a method that it does not have. */
function serveMethods(options: {
  /** Those of the path. */
  routes: readonly Route[];
  /** With its prefix. */
  path: string;
  logger: Logger;
}): Answerer {
  const { routes, path, logger } = options;
  const own = routes.map(({ method }) => method);
  const methods = [...own.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method])), 'OPTIONS'];
  const allow = methods.join(', ');
  const notAllowed = new ApiError('METHOD_NOT_ALLOWED', HTTP_TEXTS('method-not-allowed', { methods: allow }));
  const form = routes.find(({ errors }) => errors !== undefined)?.errors;
  const route = routes[0]!.path;
  return (request, response) => {
    const started = performance.now();
    response.setHeader('allow', allow);
    if (request.method !== 'OPTIONS') return refuse({ request, response, error: notAllowed, form, logger });
    response.setHeader('x-request-id', requestIdOf(request).requestId);
    response.statusCode = 204;
    response.end();
    measureRequest(started, { method: 'OPTIONS', route, status: 204, errorCode: undefined });
    endRequestSpan(request, { path, status: 204, errorCode: undefined });
  };
}

/** A server of HTTP over internal TLS, heard by `callers` alone; a connection whose certificates are over is let go. */
function createSecured(
  options: object,
  { tls, callers = [], logger }: { tls: InternalTls; callers?: readonly Peer[]; logger: Logger },
): Server {
  const server = createTlsServer({ ...options, ...tls.serverOptions() });
  const over = new WeakSet<object>();
  tls.keep(server, (socket, lifeMs) => {
    const names = peerOf(socket);
    if (!isOneOf(names, callers)) {
      logger.warn({ peer: [...names] }, 'a connection was refused: HTTP is not for this peer');
      socket.destroy();
      return;
    }
    const ends = [
      setTimeout(() => over.add(socket), lifeMs),
      setTimeout(() => socket.destroy(), lifeMs + GRACE_MS),
    ];
    socket.once('close', () => ends.forEach((end) => clearTimeout(end)));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (over.has(socket)) response.setHeader('connection', 'close');
  });
  return server;
}

/** Serves the routes over HTTP behind the edge; closing finishes the requests in flight, within `drainLimitMs`. */
export async function startHttpServer<S extends SecurityRule>(
  options: HttpServerOptions<S>,
): Promise<Closable & { port: number }> {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    // Refused as a request, with a body.
    requireHostHeader: false,
    // What announces no body has ended: most requests are not read.
    optimizeEmptyRequests: true,
  };
  const { tls } = options;
  const server =
    tls === undefined ? nodeHttp.createServer(limits) : createSecured(limits, { ...options, tls });
  // The edge keeps connections; ours must live longer than its own idle limit, or it would race our close.
  server.keepAliveTimeout = 75_000;
  const listener = createListener(options);
  const { errors: form, logger } = options;
  const refuseEarly = (request: IncomingMessage, response: ServerResponse, error: ApiError): void =>
    refuse({ request, response, error, form, logger });
  const underWay = new UnderWay();
  const counted = (request: IncomingMessage, response: ServerResponse, answer: () => void): void => {
    if (underWay.begin(request.socket, response)) inServerSpan(traceparentOf(request), answer);
  };
  // Those that have not proven themselves yet, which is no business of HTTP, among them.
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) =>
    counted(request, response, () =>
      headerOf(request, 'host') === undefined
        ? refuseEarly(request, response, hostMissing())
        : listener(request, response),
    ),
  );
  server.on('checkExpectation', (request, response) =>
    counted(request, response, () => refuseEarly(request, response, expectationUnknown())),
  );
  server.on('connect', (_request, socket) => refuseTunnel(socket, form));
  server.on('clientError', (error, socket) =>
    underWay.isAnswering(socket) && socket instanceof Socket && socket.bytesWritten > 0
      ? socket.destroy()
      : refuseBrokenRequest(error, socket, form),
  );
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      underWay.close();
      const closed = once(server, 'close');
      // That of HTTP would cut idle connections at once.
      NetServer.prototype.close.call(server);
      const lastCall = performance.now() + (options.lastCallMs ?? LAST_CALL_MS);
      const closeIdle = (): void => {
        if (performance.now() >= lastCall && !underWay.isLeaving) server.closeIdleConnections();
      };
      closeIdle();
      const idle = setInterval(closeIdle, 50);
      // A caller that never ends its request, or never begins one, must not keep the rest of the service from draining;
      // a closing server has no other limit.
      const limit = setTimeout(() => {
        for (const connection of connections) connection.destroy();
      }, options.drainLimitMs ?? DRAIN_LIMIT_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
      // What it does besides; that it does not listen any more is no error.
      server.close(() => {});
    },
  };
}

function traceparentOf(request: IncomingMessage): string | undefined {
  const [given, more] = headerValues(request, 'traceparent');
  return more === undefined ? given : undefined;
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
