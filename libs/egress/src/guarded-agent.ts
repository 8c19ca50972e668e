import { Agent } from 'undici';
import { AddressGuard } from './address-guard.ts';
import { boundPeer } from './bound-peer.ts';
import { type BoundedExchange, exchange, type Outcome } from './exchange.ts';
import { guardedConnect } from './guarded-connect.ts';
import { NameResolver, type NameResolverOptions } from './name-resolver.ts';
import { type ForwardProxy, Tunnels } from './proxy-tunnel.ts';
import type { EgressRule } from './public-address.ts';

export interface GuardedAgentOptions extends EgressRule {
  /** Connections to one origin; default unlimited. */
  connections?: number | undefined;
  /** Bytes of one answer, with its headers and the framing of its body; more end the connection. Default unlimited. */
  answerBytes?: number | undefined;
  /** Milliseconds for a connection; the TLS handshake has as many again. Default 10,000. */
  connectTimeout?: number | undefined;
  /** Options of name look-ups. */
  names?: NameResolverOptions;
  /** All connections go through it. */
  proxy?: ForwardProxy | undefined;
}

/** An HTTP/1.1 client with bounds that connects to allowed addresses alone. */
export interface GuardedAgent {
  /** Makes one request. Redirects are not followed. Never rejects. */
  exchange(request: BoundedExchange): Promise<Outcome>;
  /** Ends all connections and pending requests. */
  destroy(): Promise<void>;
}

/**
 * Makes an agent for addresses that others chose. It connects only to an address that `isAllowedAddress` allows. It uses no proxy but
 * the given one, which gets that address and no name, so it resolves nothing (ADR-0036).
 */
export function createGuardedAgent(options: GuardedAgentOptions): GuardedAgent {
  const { connections = null, answerBytes = Infinity, connectTimeout = 10_000, names, proxy } = options;
  const ended = new AbortController();
  const { signal } = ended;
  const connect = guardedConnect({
    names: new AddressGuard(new NameResolver(names), options),
    tunnels: proxy && new Tunnels(proxy, { limitMs: connectTimeout, signal }),
    connectTimeout,
    signal,
  });
  const agent = new Agent({
    connect: (target, callback) =>
      connect(target, (...[error, socket]) =>
        error === null ? callback(null, boundPeer(socket, answerBytes)) : callback(error, null),
      ),
    connections,
    allowH2: false,
    maxHeaderSize: 16 * 1024,
    // The time limit of each exchange covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A server without a Keep-Alive header keeps an idle connection for 5 s. A proxy between may drop it earlier than the server
    // announces.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 59_000,
    keepAliveTimeoutThreshold: 1_000,
    // By then the name may resolve to another address, and the certificate may have expired.
    clientTtl: 15 * 60_000,
  });
  return {
    exchange: (request) => exchange(agent, request),
    async destroy() {
      ended.abort();
      await agent.destroy();
    },
  };
}
