import type { ClientRequest } from 'node:http';
import { request as overTls } from 'node:https';
import type { Socket } from 'node:net';
import { errors } from 'undici';
import { EgressFault } from './faults.ts';

// An ES import of node:http would load all of Node's fetch.
const { request: overHttp } = process.getBuiltinModule('node:http');

/** A forward proxy. */
export interface ForwardProxy {
  /** `http://host:port` or `https://host:port`. */
  url: string;
  /** Read for each connection. */
  credentials?: (() => { username: string; password: string }) | undefined;
  /** Is called with the fault when the proxy fails, once until it works again. */
  report?: ((fault: string) => void) | undefined;
}

const MAX_HEADER_BYTES = 16 * 1024;
const REFUSED = 403;
const CREDENTIALS_WANTED = 407;

export interface TunnelLimits {
  /** Milliseconds for a tunnel. */
  limitMs: number;
  /** Ends tunnels that are being opened. */
  signal: AbortSignal;
}

/** Tunnels through a forward proxy (CONNECT, RFC 9110 §9.3.6). */
export class Tunnels {
  readonly #proxy: ForwardProxy;
  readonly #limits: TunnelLimits;
  #isFaulty = false;

  constructor(proxy: ForwardProxy, limits: TunnelLimits) {
    this.#proxy = proxy;
    this.#limits = limits;
  }

  /**
   * Opens one to an address, never to a name: the proxy resolves nothing, and the guard's decision holds.
   * @throws EgressFault: `address` when the proxy refuses the address, else `proxy`; ConnectTimeoutError
   */
  open({ address, port }: { address: string; port: string }): Promise<Socket> {
    const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`;
    const { limitMs, signal } = this.#limits;
    return new Promise((resolve, reject) => {
      const request = this.#ask(authority);
      const timer = setTimeout(
        () => request.destroy(new errors.ConnectTimeoutError('no tunnel in time')),
        limitMs,
      );
      request.once('connect', ({ statusCode = 0 }, socket, early) => {
        clearTimeout(timer);
        this.#note(statusCode === CREDENTIALS_WANTED ? 'the proxy does not take the credentials' : undefined);
        // A peer that speaks first is no server of HTTP or TLS.
        if (statusCode >= 200 && statusCode < 300 && early.length === 0)
          return resolve(socket.setNoDelay(true));
        socket.on('error', () => {}).destroy();
        reject(
          statusCode === REFUSED
            ? new EgressFault('address', 'the proxy refuses')
            : new EgressFault('proxy', `the proxy answers ${statusCode}`),
        );
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        if (error instanceof errors.ConnectTimeoutError || signal.aborted) return reject(error);
        this.#note(`the proxy cannot be used (${error.code ?? error.name})`);
        reject(new EgressFault('proxy', 'the proxy cannot be used', { cause: error }));
      });
      request.end();
    });
  }

  #ask(authority: string): ClientRequest {
    const { url, credentials } = this.#proxy;
    const { username, password } = credentials?.() ?? {};
    const token = Buffer.from(`${username}:${password}`).toString('base64');
    return (url.startsWith('https:') ? overTls : overHttp)(url, {
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(username === undefined ? {} : { 'proxy-authorization': `Basic ${token}` }),
      },
      agent: false,
      signal: this.#limits.signal,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...VERIFIED_TLS,
    });
  }

  #note(fault: string | undefined): void {
    if (fault !== undefined && !this.#isFaulty) this.#proxy.report?.(fault);
    this.#isFaulty = fault !== undefined;
  }
}

/** TLS verifies the peer in any environment of the process. */
export const VERIFIED_TLS = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
