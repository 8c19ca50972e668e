import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { endWithRefusal, type ErrorForm, refuseTunnel } from '@kontoport/http/refusing';
import { REFUSALS } from './refusals.ts';

/** Longer than a service may take, and than a connection may idle: what stands still so long has been left. */
const STANDSTILL_MS = 60_000;

/** Chain and key of the TLS server, PEM. */
export interface ServerIdentity {
  cert: string;
  key: string;
}

/** All that belongs to the TLS context; a renewed certificate replaces the context whole. */
export function tlsContext({ cert, key }: ServerIdentity): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    // A resumed session carries the leaf without its chain, and a renegotiation could change it: neither happens.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/**
 * A server of HTTP over TLS whose connections come from a door: `emit('connection', socket)`. What could not be parsed
 * as HTTP is answered as well; a handshake that fails, or is not finished in time, ends its connection.
 */
export function createListener(options: {
  server: ServerIdentity;
  asksForCertificate: boolean;
  handshakeMs: number;
  /** Of the refusals of what is no request. */
  form: ErrorForm | undefined;
  connected: (socket: TLSSocket) => void;
  requested: (request: IncomingMessage, response: ServerResponse) => void;
  unexpected: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a request of the connection is being answered. */
  isBusy: (socket: Socket) => boolean;
}): Server {
  const { form, isBusy } = options;
  const server = createServer({
    ...tlsContext(options.server),
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
  server.on('connect', (_request, socket) => refuseTunnel(socket, form));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writableEnded) return;
    const isAnswerable = secured.has(socket) && socket.writable && error.code !== 'ECONNRESET';
    if (!isAnswerable || isBusy(socket as Socket)) socket.destroy();
    else endWithRefusal(socket, refusalOf(error), { form });
  });
  // It listens through its door; HTTP's own limits of time begin to count with this event.
  server.emit('listening');
  return server;
}

function refusalOf({ code }: NodeJS.ErrnoException) {
  if (code === 'HPE_HEADER_OVERFLOW') return REFUSALS.headersTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REFUSALS.slow : REFUSALS.malformed;
}
