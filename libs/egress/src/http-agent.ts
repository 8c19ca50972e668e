import { Agent, type buildConnector } from 'undici';
import { boundPeer } from './bound-peer.ts';
import { type BoundedExchange, exchange, type Outcome } from './exchange.ts';

export interface AgentLimits {
  /** Connections to one origin; default unlimited. */
  connections?: number | undefined;
  /** Bytes of one answer, with its headers and the framing of its body; more end the connection. Default unlimited. */
  answerBytes?: number | undefined;
}

export interface ConnectOptions {
  /** Milliseconds for a connection; the TLS handshake has as many again. Default 10,000. */
  connectTimeout?: number | undefined;
}

export const CONNECT_TIMEOUT_MS = 10_000;

/** An HTTP/1.1 client with bounds. */
export interface HttpAgent {
  /** Makes one request. Redirects are not followed. Never rejects. */
  exchange(request: BoundedExchange): Promise<Outcome>;
  /** Ends all connections and pending requests. */
  destroy(): Promise<void>;
}

/** TLS verifies the peer, whatever the environment of the process says. */
export const VERIFIED = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

/**
 * Options for each connector. Without cached sessions every handshake verifies the certificate: undici resumes a session for as long as
 * the peer accepts it.
 */
export const CONNECTOR_OPTIONS = { ...VERIFIED, allowH2: false, maxCachedSessions: 0 } as const;

/** @param connectWith makes the connector; the signal ends connections that are being made */
export function createHttpAgent(
  connectWith: (signal: AbortSignal) => buildConnector.connector,
  { connections, answerBytes = Infinity }: AgentLimits,
): HttpAgent {
  const ended = new AbortController();
  const connect = connectWith(ended.signal);
  const agent = new Agent({
    connect: (target, callback) =>
      connect(target, (...[error, socket]) =>
        error === null ? callback(null, boundPeer(socket, answerBytes)) : callback(error, null),
      ),
    connections: connections ?? null,
    allowH2: false,
    maxHeaderSize: 16 * 1024,
    // The time limit of each exchange covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Servers that say nothing keep an idle connection for 5 s. A proxy between may forget it, whatever the server says.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 59_000,
    keepAliveTimeoutThreshold: 1_000,
    // By then the name may lead elsewhere, and the certificate may have expired.
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
