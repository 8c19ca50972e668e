import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '@kontoport/errors';
import { type InternalTls, isAllowed, peerIdentities, type ServiceIdentity } from '@kontoport/internal-tls';
import type { Closable, Logger } from '@kontoport/lifecycle';
import type { Shell } from '@kontoport/pages';
import { endWithRefusal, refuseTunnel } from './broken-request.ts';
import { type AppOptions, createApp } from './create-app.ts';
import { InFlightResponses } from './in-flight-responses.ts';
import type { ErrorForm } from './page.ts';
import type { SecurityRule } from './route.ts';
import { HTTP_TEXTS } from './texts.ts';

export interface HttpServerOptions<S extends SecurityRule> extends AppOptions<S> {
  host: string;
  port: number;
  /** Milliseconds that closing waits for requests in flight (default 8,000). */
  drainLimitMs?: number;
  /** Milliseconds in which closing still accepts requests on idle connections (default 1,000). */
  lastCallMs?: number | undefined;
  /** Absent: plaintext. With it only `callers` may connect. */
  tls?: InternalTls | undefined;
  callers?: readonly ServiceIdentity[];
}

/** Milliseconds in which a connection with expired certificates still serves requests. */
const GRACE_MS = 120_000;

const MAX_HEADER_BYTES = 64 * 1024;
/** Milliseconds: longer than an ordinary request, and shorter than the whole drain. */
const DRAIN_LIMIT_MS = 8_000;
/**
 * An edge may send a request at the moment of the close, and then cannot know whether it was processed. Connections
 * therefore stay open for a while and end with their next answer, which carries `Connection: close`.
 */
const LAST_CALL_MS = 1_000;

/** Creates an HTTP server over internal TLS for `callers` alone. A connection with expired certificates ends soon. */
function createSecured(
  options: object,
  { tls, callers = [], logger }: { tls: InternalTls; callers?: readonly ServiceIdentity[]; logger: Logger },
): Server {
  const server = createTlsServer({ ...options, ...tls.serverOptions() });
  const expired = new WeakSet<object>();
  tls.keep(server, (socket, lifeMs) => {
    const names = peerIdentities(socket);
    if (!isAllowed(names, callers)) {
      logger.warn({ peer: [...names] }, 'connection refused: the peer may not use HTTP');
      socket.destroy();
      return;
    }
    const ends = [
      setTimeout(() => expired.add(socket), lifeMs),
      setTimeout(() => socket.destroy(), lifeMs + GRACE_MS),
    ];
    socket.once('close', () => ends.forEach((end) => clearTimeout(end)));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (expired.has(socket)) response.setHeader('connection', 'close');
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
    // The app refuses it, with a body.
    requireHostHeader: false,
  };
  const { tls } = options;
  const server = tls === undefined ? createServer(limits) : createSecured(limits, { ...options, tls });
  // Must exceed the idle limit of the edge, which would otherwise race this close.
  server.keepAliveTimeout = 75_000;
  const { errors: form, shell } = options;
  const app = createApp(options);
  const inFlight = new InFlightResponses();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    request.url = originForm(request.url!);
    if (inFlight.begin(request.socket, response)) app(request, response);
  };
  // Includes connections during their handshake, which the HTTP server does not know.
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', serve);
  // Without this listener Node answers 417 without a body.
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) => refuseTunnel(socket, { form, shell }));
  server.on('clientError', (error, socket) =>
    inFlight.isAnswering(socket) && socket instanceof Socket && socket.bytesWritten > 0
      ? socket.destroy()
      : refuseBrokenRequest(error, socket, { form, shell }),
  );
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      inFlight.close();
      const closed = once(server, 'close');
      // The close of the HTTP server would cut idle connections at once.
      NetServer.prototype.close.call(server);
      const lastCall = performance.now() + (options.lastCallMs ?? LAST_CALL_MS);
      const closeIdle = (): void => {
        if (performance.now() >= lastCall && !inFlight.isLeaving) server.closeIdleConnections();
      };
      closeIdle();
      const idle = setInterval(closeIdle, 50);
      // A caller that never completes or begins a request must not block the drain. A closing server has no other
      // limit.
      const limit = setTimeout(() => {
        for (const connection of connections) connection.destroy();
      }, options.drainLimitMs ?? DRAIN_LIMIT_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
      // Stops the timers of the HTTP server. It reports that the server does not listen any more; that is no error here.
      server.close(() => {});
    },
  };
}

/** The target without the host that a caller may write before it (RFC 9112 §3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url === null ? `/${target}` : url.pathname + url.search;
}

/** Answers bytes that are no HTTP request, on a connection without another answer under way. */
function refuseBrokenRequest(
  { code }: NodeJS.ErrnoException,
  socket: Duplex,
  options: { form: ErrorForm | undefined; shell: Shell | undefined },
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
  endWithRefusal(socket, refusal, options);
}
