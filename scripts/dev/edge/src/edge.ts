import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SecureContext, TLSSocket } from 'node:tls';
import {
  endWithRefusal,
  expectationUnknown,
  hostMissing,
  refuseTunnel,
  routeUnknown,
} from '@kontoport/http/refusing';
import { addressOf } from '@kontoport/service/addresses';
import { type ConnectionLimits, Connections } from './connections.ts';
import { type ClientChain, createForwarder, readClientChain } from './forward.ts';
import { chainTooLarge, formOf, REFUSALS, refuse } from './refusals.ts';
import { EDGE_ADDRESSES, type EdgeAddress, type UpstreamName, upstreamsFor } from './routes.ts';

const UPSTREAM_TIMEOUT_MS = 30_000;
const DRAIN_LIMIT_MS = 3_000;
/** Longer than a service may be silent: a request that waits for its answer is not idle. */
const IDLE_LIMIT_MS = 60_000;
/** Requests of one connection that wait for their answers. */
const MAX_PIPELINED = 16;
/** The services take 64 KB of headers in all. */
const LONGEST_CHAIN = 44 * 1024;

export interface EdgeOptions {
  /** Addresses to listen at. The edge leaves out those that the machine does not have. */
  hosts: readonly string[];
  /** The port of each address; 0 is any free port. */
  ports: Record<EdgeAddress, number>;
  /** Chain and key, PEM. */
  server: { cert: string; key: string };
  /** The HTTP address of each listener of the services. */
  upstreams: Record<UpstreamName, { host: string; port: number }>;
  /** Proves to the services that the edge sent the certificate headers. */
  edgeSecret: string;
  /** Internal TLS to the services; absent: plaintext. */
  inside?: SecureContext | undefined;
  /** Milliseconds without a byte from a service until the edge answers 504 (default 30,000). */
  upstreamTimeoutMs?: number;
  /** Milliseconds for a TLS handshake. */
  handshakeMs: number;
  /** Milliseconds without a byte in either direction until a connection ends (default 60,000). */
  idleLimitMs?: number;
  /** Milliseconds that closing waits for requests in flight (default 3,000). */
  drainLimitMs?: number;
  connections: ConnectionLimits;
}

export interface Edge {
  /** For example `https://localhost:8443`. */
  urls: Record<EdgeAddress, string>;
  /** Stops listening, waits for requests in flight for a few seconds, ends every connection. */
  close(): Promise<void>;
}

/** Answers the requests of an address. */
function answerer(address: EdgeAddress, edge: EdgeOptions, connections: Connections) {
  const chains = new WeakMap<Socket, ClientChain>();
  /** The incomplete answers of each connection. */
  const incomplete = new WeakMap<Socket, Set<ServerResponse>>();
  /** The answer to the latest request of each connection. */
  const latest = new WeakMap<Socket, ServerResponse>();
  const { upstreamTimeoutMs: timeoutMs = UPSTREAM_TIMEOUT_MS } = edge;
  const forwarder = createForwarder({ ...edge, inside: edge.inside, address, timeoutMs });
  return {
    connected(socket: TLSSocket): void {
      connections.secure(socket);
      chains.set(socket, readClientChain(socket));
      const answers = new Set<ServerResponse>();
      incomplete.set(socket, answers);
      // Node closes only the answer whose turn it is.
      socket.once('close', () => answers.forEach((response) => forwarder.abort(response)));
    },
    answer(request: IncomingMessage, response: ServerResponse): void {
      const answers = incomplete.get(request.socket)!;
      if (answers.size >= MAX_PIPELINED) return void request.socket.destroy();
      answers.add(response);
      response.once('close', () => answers.delete(response));
      latest.set(request.socket, response);
      const { url = '' } = request;
      const form = formOf(address, url);
      if (request.headers.host === undefined) return refuse(response, hostMissing(), form);
      const [name] = upstreamsFor(address, url);
      if (name === undefined)
        return refuse(response, routeUnknown(addressOf(url.split('?', 1)[0]!)), form ?? 'developers');
      const chain = chains.get(request.socket) ?? {};
      if (Object.values(chain).join('').length > LONGEST_CHAIN)
        return refuse(response, chainTooLarge(address, request), form);
      forwarder.forward(request, response, { chain, upstream: edge.upstreams[name] });
    },
    /** Refuses bytes that are not HTTP, unless the client would read the refusal as part of another answer. */
    refuseBroken({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
      const open = latest.get(socket);
      const isAnswering = open !== undefined && !open.writableFinished;
      const isNext = !isAnswering || (open.socket === socket && !open.headersSent && !open.req.complete);
      if (!/^HPE_|^ERR_HTTP_REQUEST_TIMEOUT$/.test(code) || !socket.writable) return void socket.destroy();
      // Written bytes are sent first.
      if (!isNext) return socket.destroySoon();
      if (isAnswering) forwarder.abort(open);
      endWithRefusal(socket, refusalOf(code), {
        form: formOf(address, isAnswering ? open.req.url : undefined),
      });
    },
  };
}

function refusalOf(code: string) {
  if (code === 'HPE_HEADER_OVERFLOW') return REFUSALS.headersTooLarge;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REFUSALS.slow : REFUSALS.malformed;
}

/**
 * Makes the server of an address. It requests a client certificate (not at the user address) and never refuses one in the
 * handshake: the services judge it, so that a TPP reads JSON instead of a TLS alert.
 */
function createEdgeServer(address: EdgeAddress, edge: EdgeOptions, connections: Connections): Server {
  const { connected, answer, refuseBroken } = answerer(address, edge, connections);
  const server = createServer({
    ...edge.server,
    minVersion: 'TLSv1.2',
    // A resumed session carries the leaf without its chain, and a renegotiation could change it: neither happens.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    requestCert: address !== 'user',
    rejectUnauthorized: false,
    handshakeTimeout: edge.handshakeMs,
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    maxHeaderSize: 16 * 1024,
    // The edge refuses it with a body.
    requireHostHeader: false,
  });
  // Ends the connection of a caller that does not read its answer.
  server.setTimeout(edge.idleLimitMs ?? IDLE_LIMIT_MS);
  server.on('connection', (socket: Socket) => connections.admit(socket));
  server.on('secureConnection', connected);
  server.on('request', answer);
  server.on('checkExpectation', (request, response) =>
    refuse(response, expectationUnknown(), formOf(address, request.url)),
  );
  server.on('connect', (_request, socket) => refuseTunnel(socket, { form: formOf(address) }));
  server.on('clientError', (error, socket) => refuseBroken(error, socket as Socket));
  return server;
}

/** Opens the four addresses. @throws Error of the system when a port cannot be bound; nothing stays open then */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const connections = new Connections(options.connections);
  const servers: Server[] = [];
  const inFlight = new Set<ServerResponse>();
  const ports = { ...options.ports };
  try {
    for (const address of EDGE_ADDRESSES)
      for (const host of options.hosts) {
        const server = createEdgeServer(address, options, connections);
        server.on('request', (_request, response) => {
          inFlight.add(response);
          response.once('close', () => inFlight.delete(response));
        });
        if (await listens(server, { host, port: ports[address] })) {
          servers.push(server);
          ports[address] = (server.address() as AddressInfo).port;
        }
      }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  return {
    urls: Object.fromEntries(
      EDGE_ADDRESSES.map((address) => [address, `https://localhost:${ports[address]}`]),
    ) as Record<EdgeAddress, string>,
    async close() {
      for (const server of servers) server.close();
      const answered = Promise.all([...inFlight].map((response) => once(response, 'close')));
      await Promise.race([
        answered,
        pause(options.drainLimitMs ?? DRAIN_LIMIT_MS, undefined, { ref: false }),
      ]);
      connections.cut();
    },
  };
}

/** @returns false for an address that the machine does not have */
async function listens(server: Server, at: { host: string; port: number }): Promise<boolean> {
  server.listen({ ...at, exclusive: true });
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false;
    throw error;
  }
}
