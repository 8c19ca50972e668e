import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Server, Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { SecureContext, TLSSocket } from 'node:tls';
import { endWithRefusal, expectationUnknown, hostMissing, routeUnknown } from '@kontoport/http/refusing';
import { type ClientChain, readClientChain } from './client-chain.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { type Door, openDoor } from './door.ts';
import { forward, type Upstream } from './forward.ts';
import { InFlight } from './in-flight.ts';
import { createListener, type ServerIdentity, tlsContext } from './listener.ts';
import { formOf, REFUSALS, refuse } from './refusals.ts';
import { EDGE_ADDRESSES, type EdgeAddress, elsewhere, upstreamFor, type UpstreamName } from './routes.ts';

const UPSTREAM_TIMEOUT_MS = 30_000;
const DRAIN_LIMIT_MS = 3_000;

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
  /** Takes a renewed server certificate for new connections. */
  useCertificate(server: ServerIdentity): void;
  /** Stops listening, lets requests in flight finish for a few seconds, ends every connection. */
  close(): Promise<void>;
}

const perAddress = <T>(of: (address: EdgeAddress) => T): Record<EdgeAddress, T> =>
  Object.fromEntries(EDGE_ADDRESSES.map((address) => [address, of(address)])) as Record<EdgeAddress, T>;

/** Hands every request to the listener that has its path. */
function serve(options: { address: EdgeAddress; edge: EdgeOptions; agent: Agent; inFlight: InFlight }) {
  const { address, edge, agent, inFlight } = options;
  const chains = new WeakMap<Socket, ClientChain>();
  const { edgeSecret, upstreamTimeoutMs: timeoutMs = UPSTREAM_TIMEOUT_MS } = edge;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const form = formOf(address, request.url);
    if (request.headers.host === undefined) return refuse(response, hostMissing(), form);
    const name = upstreamFor(address, request.url ?? '');
    if (name === undefined) return refuse(response, routeUnknown(elsewhere(request.url ?? '')), form);
    const upstream: Upstream = { ...edge.upstreams[name], agent, edgeSecret, timeoutMs };
    forward({ request, response, chain: chains.get(request.socket) ?? {}, upstream, address, form });
  };
  return {
    form: formOf(address),
    connected: (socket: TLSSocket): void => void chains.set(socket, readClientChain(socket)),
    requested: (request: IncomingMessage, response: ServerResponse): void =>
      inFlight.run(response, () => answer(request, response)),
    unexpected: (request: IncomingMessage, response: ServerResponse): void =>
      refuse(response, expectationUnknown(), formOf(address, request.url)),
    isBusy: (socket: Socket): boolean => inFlight.isBusy(socket),
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

/** As many connections as callers have: a limit of its own would let slow callers keep the others waiting. */
function agentOf(inside: SecureContext | undefined): Agent {
  const kept = { keepAlive: true, maxFreeSockets: 32 };
  return inside === undefined
    ? new Agent(kept)
    : new TlsAgent({ ...kept, secureContext: inside, rejectUnauthorized: true, maxCachedSessions: 0 });
}

/**
 * Opens the four addresses. A client certificate is requested (not at the user address) and never refused in the
 * handshake: the services judge it, so that a TPP reads JSON and no TLS alert.
 * @throws PortTaken when a port cannot be bound; nothing stays open then.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { handshakeMs, drainLimitMs = DRAIN_LIMIT_MS } = options;
  const agent = agentOf(options.inside);
  const connections = new Connections(options.connections);
  const inFlight = new InFlight();
  const servers = perAddress((address) =>
    createListener({
      server: options.server,
      asksForCertificate: address !== 'user',
      handshakeMs,
      ...serve({ address, edge: options, agent, inFlight }),
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
    useCertificate(server) {
      for (const each of Object.values(servers)) each.setSecureContext(tlsContext(server));
    },
    async close() {
      for (const door of Object.values(doors)) door.close();
      await Promise.race([inFlight.drained(), pause(drainLimitMs, undefined, { ref: false })]);
      connections.cut();
      closeServers();
      agent.destroy();
    },
  };
}
