import { isIP } from 'node:net';
import {
  connect,
  type ConnectionOptions,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { VERIFIED } from './proxy-tunnel.ts';

/** With one a handshake takes less. They are some 1 KB each, and the oldest go first. */
const MOST_SESSIONS = 1_000;
/** After which the peer proves itself anew: a handshake that resumes a session looks at no certificate. */
const OLDEST_SESSION_MS = 3_600_000;
/** Handshakes, tickets and new keys of one connection: they are dear, and no limit of an answer counts their bytes. */
const MOST_OF_TLS = 100;

interface Session {
  bytes: Buffer;
  /** When the peer proved itself, of `performance.now()`. */
  provenAt: number;
}

/** Speaks TLS with peers that are verified by their names. */
export class TlsClient {
  readonly #given: SecureContext | undefined;
  /** What `#given` was last, and by host and port the sessions that were begun with it. */
  #last: { context: unknown; sessions: Map<string, Session> } | undefined;

  /** @param secureContext is asked at each connection, and may be another each time; absent: whom Node trusts, and nothing that proves us */
  constructor(secureContext: SecureContext | undefined) {
    this.#given = secureContext;
  }

  /** Begins a handshake. @throws what the reading of the context throws */
  connect({ hostname, port }: { hostname: string; port: number }, options: ConnectionOptions): TLSSocket {
    const { context, sessions } = this.#present();
    const key = `${hostname}:${port}`;
    const known = sessions.get(key);
    const isFresh = known !== undefined && performance.now() - known.provenAt < OLDEST_SESSION_MS;
    const socket = connect({
      ...options,
      ...VERIFIED,
      secureContext: { context },
      ...(isIP(hostname) === 0 && { servername: hostname }),
      ...(isFresh && { session: known.bytes }),
      ALPNProtocols: ['http/1.1'],
    });
    let taken = 0;
    const take = (): void => {
      taken += 1;
      if (taken > MOST_OF_TLS) socket.destroy();
    };
    // Whoever renegotiates is heard of each time; whoever renews keys, by the line for a log of keys, which there is not.
    socket.on('secureConnect', take).on('keylog', take);
    // Once: a resumed session proves no more than the one before it, nor does whatever comes later over the same connection.
    let provenAt = -Infinity;
    socket.once('secureConnect', () => {
      provenAt = socket.isSessionReused() ? known!.provenAt : performance.now();
    });
    return socket.on('session', (bytes) => {
      take();
      sessions.delete(key);
      sessions.set(key, { bytes, provenAt });
      if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value!);
    });
  }

  #present(): { context: unknown; sessions: Map<string, Session> } {
    // Made once: for each connection it would be a fifth of what a handshake takes.
    const { context } = this.#given ?? this.#last ?? createSecureContext({ minVersion: VERIFIED.minVersion });
    if (this.#last?.context !== context) this.#last = { context, sessions: new Map() };
    return this.#last!;
  }
}
