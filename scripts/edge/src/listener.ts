import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { endWithRefusal } from '@kontoport/http/refusing';
import { REFUSALS } from './refusals.ts';
import type { EdgeAddress } from './routes.ts';

const DRAIN_LIMIT_MS = 3_000;

/** Chain and key of the TLS server, PEM. */
export interface ServerIdentity {
  cert: string;
  key: string;
}

/** A listener whose port is taken. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly address: EdgeAddress;
  readonly port: number;

  constructor(address: EdgeAddress, port: number) {
    super(`port ${port} of the ${address} address is taken`);
    this.address = address;
    this.port = port;
  }
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

/** A TLS server that does not listen yet. It answers in JSON, also what could not be parsed as HTTP. */
export function createListener(options: {
  server: ServerIdentity;
  asksForCertificate: boolean;
  connected: (socket: TLSSocket) => void;
  requested: (request: IncomingMessage, response: ServerResponse) => void;
}): Server {
  const server = createServer({
    ...tlsContext(options.server),
    requestCert: options.asksForCertificate,
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
    // Refused as a request, in JSON.
    requireHostHeader: false,
  });
  server.on('secureConnection', options.connected);
  server.on('request', options.requested);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else endWithRefusal(socket, refusalOf(error));
  });
  return server;
}

function refusalOf({ code }: NodeJS.ErrnoException) {
  if (code === 'HPE_HEADER_OVERFLOW') return REFUSALS.headersTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REFUSALS.slow : REFUSALS.malformed;
}

/** @throws PortTaken */
export async function listen(
  server: Server,
  at: { address: EdgeAddress; host: string; port: number },
): Promise<void> {
  server.listen({ port: at.port, host: at.host, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EADDRINUSE' || code === 'EACCES' ? new PortTaken(at.address, at.port) : error;
  }
}

/** Lets requests in flight finish for a few seconds. */
export async function closeListener(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(limit);
}
