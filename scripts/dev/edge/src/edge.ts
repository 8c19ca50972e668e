import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SecureContext, TLSSocket } from 'node:tls';
import {
  endWithRefusal,
  type ErrorForm,
  expectationUnknown,
  hostMissing,
  routeUnknown,
} from '@kontoport/http/refusing';
import { OpenAnswers } from './answers.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { type Door, openDoor } from './door.ts';
import { type ClientChain, createForwarder, type Forwarder, readClientChain } from './forward.ts';
import { createListener, type ServerIdentity } from './listener.ts';
import { chainTooLarge, formOf, REFUSALS, refuse } from './refusals.ts';
import { EDGE_ADDRESSES, type EdgeAddress, elsewhere, upstreamFor, type UpstreamName } from './routes.ts';

const UPSTREAM_TIMEOUT_MS = 30_000;
const DRAIN_LIMIT_MS = 3_000;
/** The services take 64 KB of headers in all. */
const LONGEST_CHAIN = 44 * 1024;

export interface EdgeOptions {
  /** Addresses to listen at; those that the machine does not have are left out. */
  hosts: readonly string[];
  /** Of each listener; 0 takes any free one. */
  ports: Record<EdgeAddress, number>;
  server: ServerIdentity;
  /** Where each listener of the services answers HTTP. */
  upstreams: Record<UpstreamName, { host: string; port: number }>;
  /** Tells the services that the certificate headers are ours. */
  edgeSecret: string;
  /** What the services are shown, and by whom they must be certified; absent: they are reached in plaintext. */
  inside?: SecureContext | undefined;
  /** Milliseconds without a byte from a service after which it counts as late. */
  upstreamTimeoutMs?: number;
  /** Milliseconds for a TLS handshake. */
  handshakeMs: number;
  /** Milliseconds that closing waits for requests in flight (default 3,000). */
  drainLimitMs?: number;
  connections: ConnectionLimits;
}

export interface Edge {
  /** For example `https://localhost:8443`. */
  urls: Record<EdgeAddress, string>;
  /** The first of `hosts` that the machine has. */
  host: string;
  /** Stops listening, lets requests in flight finish for a few seconds, ends every connection. */
  close(): Promise<void>;
}

const perAddress = <T>(of: (address: EdgeAddress) => T): Record<EdgeAddress, T> =>
  Object.fromEntries(EDGE_ADDRESSES.map((address) => [address, of(address)])) as Record<EdgeAddress, T>;

/** What the listener of an address calls: it hands every request to the service that has its path. */
function handlersOf(
  address: EdgeAddress,
  parts: { edge: EdgeOptions; forwarder: Forwarder; answers: OpenAnswers; connections: Connections },
) {
  const { edge, forwarder, answers, connections } = parts;
  const chains = new WeakMap<Socket, ClientChain>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const form = formOf(address, request.url);
    if (request.headers.host === undefined) return refuse(response, hostMissing(), form);
    const name = upstreamFor(address, request.url ?? '');
    if (name === undefined) return refuse(response, routeUnknown(elsewhere(request.url ?? '')), form);
    const chain = chains.get(request.socket) ?? {};
    if (Object.values(chain).join('').length > LONGEST_CHAIN)
      return refuse(response, chainTooLarge(address, request), form);
    forwarder.forward({ request, response, chain, upstream: edge.upstreams[name], form });
  };
  return {
    connected(socket: TLSSocket): void {
      connections.secure(socket);
      chains.set(socket, readClientChain(socket));
    },
    requested(request: IncomingMessage, response: ServerResponse): void {
      if (answers.add(response)) answer(request, response);
    },
    unexpected: (request: IncomingMessage, response: ServerResponse): void =>
      refuse(response, expectationUnknown(), formOf(address, request.url)),
    /** Whether a refusal would be read as the answer to what could not be parsed, and its form. */
    refusable(socket: Socket): { form: ErrorForm | undefined } | undefined {
      const [open, ...others] = answers.of(socket);
      if (open === undefined) return { form: formOf(address) };
      if (others.length > 0 || open.headersSent || open.req.complete) return undefined;
      forwarder.abort(open);
      return { form: formOf(address, open.req.url) };
    },
  };
}

/** Opens the door of each address in front of its server. @throws PortTaken; nothing stays open then */
async function openDoors(
  options: EdgeOptions,
  servers: Record<EdgeAddress, Server>,
  connections: Connections,
): Promise<Record<EdgeAddress, Door>> {
  const doors: Partial<Record<EdgeAddress, Door>> = {};
  try {
    for (const address of EDGE_ADDRESSES)
      doors[address] = await openDoor({
        address,
        hosts: options.hosts,
        port: options.ports[address],
        connections,
        silenceMs: options.handshakeMs,
        speaksTls: (socket) => void servers[address].emit('connection', socket),
        speaksPlainly: (socket) => endWithRefusal(socket, REFUSALS.plain, { form: formOf(address) }),
      });
  } catch (error) {
    for (const door of Object.values(doors)) door.close();
    throw error;
  }
  return doors as Record<EdgeAddress, Door>;
}

/**
 * Opens the four addresses. A client certificate is requested (not at the user address) and never refused in the
 * handshake: the services judge it, so that a TPP reads JSON and no TLS alert.
 * @throws PortTaken when a port cannot be bound; nothing stays open then.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { handshakeMs, inside, edgeSecret } = options;
  const { drainLimitMs = DRAIN_LIMIT_MS, upstreamTimeoutMs: timeoutMs = UPSTREAM_TIMEOUT_MS } = options;
  const connections = new Connections(options.connections);
  const answers = new OpenAnswers();
  const forwarder = createForwarder({ inside, edgeSecret, timeoutMs });
  const servers = perAddress((address) =>
    createListener({
      server: options.server,
      asksForCertificate: address !== 'user',
      handshakeMs,
      ...handlersOf(address, { edge: options, forwarder, answers, connections }),
    }),
  );
  const closeServers = (): void => Object.values(servers).forEach((server) => server.close());
  let doors: Record<EdgeAddress, Door>;
  try {
    doors = await openDoors(options, servers, connections);
  } catch (error) {
    closeServers();
    throw error;
  }
  return {
    host: doors.base.host,
    urls: perAddress((address) => `https://localhost:${doors[address].port}`),
    async close() {
      for (const door of Object.values(doors)) door.close();
      await Promise.race([answers.drained(), pause(drainLimitMs, undefined, { ref: false })]);
      connections.cut();
      closeServers();
    },
  };
}
