// The local edge: ends mutual TLS in front of the services, as an ingress does in production.
import { constants, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, STATUS_CODES } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { IssuerFiles } from '@kontoport/issuing';
import { type ClientChain, readClientChain } from './client-chain.ts';
import { forward, requestIdOf } from './forward.ts';
import { REFUSALS, refusalParts, refuse } from './reply.ts';
import { type EdgeAddress, type ServiceName, serviceFor } from './routes.ts';

const HOST = '127.0.0.1';
const UPSTREAM_TIMEOUT_MS = 30_000;
const DRAIN_LIMIT_MS = 3_000;

export interface EdgeOptions {
  /** Of each listener; 0 takes any free one. */
  ports: Record<EdgeAddress, number>;
  /** Chain and key of the TLS server. */
  server: IssuerFiles;
  /** Loopback HTTP port of each service. */
  services: Record<ServiceName, number>;
  /** Tells the services that the certificate headers are ours. */
  edgeSecret: string;
  /** Milliseconds without a byte from a service after which it counts as late. */
  upstreamTimeout?: number;
}

export interface Edge {
  /** For example `https://localhost:8443`. */
  urls: Record<EdgeAddress, string>;
  /** Takes a renewed server certificate for new connections. */
  useCertificate(server: IssuerFiles): void;
  /** Stops listening, lets requests in flight finish for a few seconds, closes every connection. */
  close(): Promise<void>;
}

/** A listener whose port is taken. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
  readonly address: EdgeAddress;
  readonly port: number;

  constructor(address: EdgeAddress, port: number) {
    super(`port ${port} is taken`);
    this.address = address;
    this.port = port;
  }
}

/** All that belongs to the TLS context; a renewed certificate replaces the context whole. */
function tlsContext(files: IssuerFiles): SecureContextOptions {
  return {
    cert: readFileSync(files.certificate),
    key: readFileSync(files.key),
    minVersion: 'TLSv1.2',
    // A resumed session carries the leaf without its chain, and a renegotiation could change it: neither happens.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

/** Answers what could not be parsed as HTTP, in the same JSON as everything else. */
function answerClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const refusal =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? REFUSALS.headersTooLarge
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? REFUSALS.slow
          : REFUSALS.malformed;
    const { headers, body } = refusalParts(refusal, randomUUID());
    const lines = Object.entries({ ...headers, Connection: 'close' }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const head = [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...lines].join('\r\n');
    socket.end(`${head}\r\n\r\n${body}`);
  });
}

async function listen(server: Server, address: EdgeAddress, port: number): Promise<void> {
  server.listen({ port, host: HOST, exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'EADDRINUSE' || code === 'EACCES' ? new PortTaken(address, port) : error;
  }
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(limit);
}

/**
 * Opens the four addresses. A client certificate is requested (not at the user address) and never refused in the
 * handshake: the services judge it, so that a TPP reads JSON and no TLS alert.
 * @throws PortTaken when a port cannot be bound; nothing stays open then.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  // As many connections as callers have: a limit of its own would let slow callers keep the others waiting.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });
  const chains = new WeakMap<object, ClientChain>();

  const open = (address: EdgeAddress): Server => {
    const server = createServer({
      ...tlsContext(options.server),
      requestCert: address !== 'user',
      rejectUnauthorized: false,
      handshakeTimeout: 10_000,
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
      // Refused below, in JSON.
      requireHostHeader: false,
    });
    server.on('secureConnection', (socket: TLSSocket) => chains.set(socket, readClientChain(socket)));
    server.on('request', (request, response) => {
      if (request.headers.host === undefined) {
        refuse(response, REFUSALS.malformed, requestIdOf(request));
        return;
      }
      const service = serviceFor(address, request.url ?? '');
      if (service === undefined) {
        refuse(response, REFUSALS.routeUnknown, requestIdOf(request));
        return;
      }
      forward({
        request,
        response,
        chain: chains.get(request.socket) ?? {},
        upstream: {
          host: HOST,
          port: options.services[service],
          agent,
          edgeSecret: options.edgeSecret,
          timeout: options.upstreamTimeout ?? UPSTREAM_TIMEOUT_MS,
        },
      });
    });
    answerClientErrors(server);
    return server;
  };

  const servers: Record<EdgeAddress, Server> = {
    base: open('base'),
    registration: open('registration'),
    auth: open('auth'),
    user: open('user'),
  };
  const all = Object.values(servers);
  const close = async (): Promise<void> => {
    await Promise.all(all.map(closeServer));
    agent.destroy();
  };
  try {
    for (const [address, server] of Object.entries(servers) as [EdgeAddress, Server][])
      await listen(server, address, options.ports[address]);
  } catch (error) {
    await close();
    throw error;
  }
  const url = (address: EdgeAddress): string =>
    `https://localhost:${(servers[address].address() as AddressInfo).port}`;
  return {
    urls: { base: url('base'), registration: url('registration'), auth: url('auth'), user: url('user') },
    useCertificate(server) {
      for (const each of all) each.setSecureContext(tlsContext(server));
    },
    close,
  };
}
