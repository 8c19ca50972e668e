import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { routeUnknown } from '@kontoport/http/refusing';
import { type ClientChain, readClientChain } from './client-chain.ts';
import { forward, type Upstream } from './forward.ts';
import { closeListener, createListener, listen, type ServerIdentity, tlsContext } from './listener.ts';
import { REFUSALS, refuse } from './refusals.ts';
import { EDGE_ADDRESSES, type EdgeAddress, elsewhere, upstreamFor, type UpstreamName } from './routes.ts';

const UPSTREAM_TIMEOUT_MS = 30_000;

export interface EdgeOptions {
  host: string;
  /** Of each listener; 0 takes any free one. */
  ports: Record<EdgeAddress, number>;
  server: ServerIdentity;
  /** Where each listener of the services answers HTTP. */
  upstreams: Record<UpstreamName, { host: string; port: number }>;
  /** Tells the services that the certificate headers are ours. */
  edgeSecret: string;
  /** Milliseconds without a byte from a service after which it counts as late. */
  upstreamTimeoutMs?: number;
}

export interface Edge {
  /** For example `https://localhost:8443`. */
  urls: Record<EdgeAddress, string>;
  /** Takes a renewed server certificate for new connections. */
  useCertificate(server: ServerIdentity): void;
  /** Stops listening, lets requests in flight finish for a few seconds, closes every connection. */
  close(): Promise<void>;
}

const perAddress = <T>(of: (address: EdgeAddress) => T): Record<EdgeAddress, T> =>
  Object.fromEntries(EDGE_ADDRESSES.map((address) => [address, of(address)])) as Record<EdgeAddress, T>;

/** Hands every request to the listener that has its path. */
function serve(address: EdgeAddress, options: EdgeOptions, agent: Agent) {
  const chains = new WeakMap<Socket, ClientChain>();
  const { edgeSecret, upstreamTimeoutMs: timeoutMs = UPSTREAM_TIMEOUT_MS } = options;
  return {
    connected: (socket: TLSSocket): void => void chains.set(socket, readClientChain(socket)),
    requested: (request: IncomingMessage, response: ServerResponse): void => {
      if (request.headers.host === undefined) return refuse(response, REFUSALS.malformed);
      const name = upstreamFor(address, request.url ?? '');
      if (name === undefined) return refuse(response, routeUnknown(elsewhere(request.url ?? '')));
      const upstream: Upstream = { ...options.upstreams[name], agent, edgeSecret, timeoutMs };
      forward({ request, response, chain: chains.get(request.socket) ?? {}, upstream });
    },
  };
}

/**
 * Opens the four addresses. A client certificate is requested (not at the user address) and never refused in the
 * handshake: the services judge it, so that a TPP reads JSON and no TLS alert.
 * @throws PortTaken when a port cannot be bound; nothing stays open then.
 */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  // As many connections as callers have: a limit of its own would let slow callers keep the others waiting.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 32 });
  const servers: Record<EdgeAddress, Server> = perAddress((address) =>
    createListener({
      server: options.server,
      asksForCertificate: address !== 'user',
      ...serve(address, options, agent),
    }),
  );
  const close = async (): Promise<void> => {
    await Promise.all(Object.values(servers).map(closeListener));
    agent.destroy();
  };
  try {
    for (const address of EDGE_ADDRESSES)
      await listen(servers[address], { address, host: options.host, port: options.ports[address] });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: perAddress((address) => `https://localhost:${(servers[address].address() as AddressInfo).port}`),
    useCertificate(server) {
      for (const each of Object.values(servers)) each.setSecureContext(tlsContext(server));
    },
    close,
  };
}
