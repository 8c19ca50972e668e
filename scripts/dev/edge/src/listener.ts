import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { endWithRefusal, type ErrorForm, refuseTunnel } from '@kontoport/http/refusing';
import { REFUSALS } from './refusals.ts';

/** Longer than a service may take, and than a connection may idle: what stands still so long has been left. */
const STANDSTILL_MS = 60_000;

/** Chain and key of the TLS server, PEM. */
export interface ServerIdentity {
  cert: string;
  key: string;
}

/**
 * A server of HTTP over TLS whose connections come from a door: `emit('connection', socket)`. What could not be parsed
 * as HTTP is answered as well; a handshake that fails, or is not finished in time, ends its connection.
 */
export function createListener(options: {
  server: ServerIdentity;
  asksForCertificate: boolean;
  handshakeMs: number;
  connected: (socket: TLSSocket) => void;
  requested: (request: IncomingMessage, response: ServerResponse) => void;
  unexpected: (request: IncomingMessage, response: ServerResponse) => void;
  /** The form of a refusal of what could not be parsed; undefined where an answer has begun or belongs to another request. */
  refusable: (socket: Socket) => { form: ErrorForm | undefined } | undefined;
}): Server {
  const server = createServer({
    ...options.server,
    minVersion: 'TLSv1.2',
    // A resumed session carries the leaf without its chain, and a renegotiation could change it: neither happens.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    requestCert: options.asksForCertificate,
    rejectUnauthorized: false,
    handshakeTimeout: options.handshakeMs,
    headersTimeout: 10_000,
    requestTimeout: STANDSTILL_MS,
    keepAliveTimeout: 30_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16 * 1024,
    // Refused as a request, with a body.
    requireHostHeader: false,
  });
  server.setTimeout(STANDSTILL_MS);
  const secured = new WeakSet<object>();
  server.on('secureConnection', (socket) => {
    secured.add(socket);
    options.connected(socket);
  });
  server.on('request', options.requested);
  server.on('checkExpectation', options.unexpected);
  server.on('connect', (_request, socket) => refuseTunnel(socket, options.refusable(socket as Socket)?.form));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writableEnded) return;
    const isAnswerable = secured.has(socket) && socket.writable && error.code !== 'ECONNRESET';
    const refusable = isAnswerable ? options.refusable(socket as Socket) : undefined;
    if (refusable === undefined) socket.destroy();
    else endWithRefusal(socket, refusalOf(error), refusable);
  });
  // It listens through its door; HTTP's own limits of time begin to count with this event.
  server.emit('listening');
  return server;
}

function refusalOf({ code }: NodeJS.ErrnoException) {
  if (code === 'HPE_HEADER_OVERFLOW') return REFUSALS.headersTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REFUSALS.slow : REFUSALS.malformed;
}
