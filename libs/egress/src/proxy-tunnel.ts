import type { ClientRequest } from 'node:http';
import { request as overTls } from 'node:https';
import type { Socket } from 'node:net';
import { ConnectionLost, ConnectTimeout } from './faults.ts';

// As an ES module it brings along all of Node's fetch.
const { request: overHttp } = process.getBuiltinModule('node:http');

/** A forward proxy, and how to be let in. */
export interface ForwardProxy {
  /** `http://host:port` or `https://host:port`. */
  url: string;
  /** Asked for at each connection. */
  credentials?: (() => { username: string; password: string }) | undefined;
  /** Hears that the proxy is of no use, and why, once until it is again. */
  report?: ((fault: string) => void) | undefined;
}

/** The proxy lets nobody through to this address. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
}

const MAX_HEADER_BYTES = 16 * 1024;
const REFUSED = 403;
const CREDENTIALS_WANTED = 407;

/** Tunnels through a forward proxy (CONNECT, RFC 9110 §9.3.6). */
export class Tunnels {
  readonly #proxy: ForwardProxy;
  readonly #underWay = new Set<ClientRequest>();
  #isFaulty = false;

  constructor(proxy: ForwardProxy) {
    this.#proxy = proxy;
  }

  /**
   * Opens one to an address, never to a name: the proxy has nothing to resolve, and leads where it was decided.
   * @throws ProxyRefused, ConnectTimeout, ConnectionLost, or an Error where there is no tunnel
   */
  open(target: { address: string; port: number; limitMs: number }): Promise<Socket> {
    const { address, port, limitMs } = target;
    const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`;
    return new Promise((resolve, reject) => {
      const request = this.#ask(authority);
      const timer = setTimeout(() => request.destroy(new ConnectTimeout('no tunnel in time')), limitMs);
      this.#underWay.add(request);
      const settle = (): void => {
        clearTimeout(timer);
        this.#underWay.delete(request);
      };
      request.once('connect', ({ statusCode = 0 }, socket, early) => {
        settle();
        this.#note(statusCode === CREDENTIALS_WANTED ? 'the proxy does not take the credentials' : undefined);
        // Whoever speaks before it was asked is no server of HTTP or TLS.
        if (statusCode >= 200 && statusCode < 300 && early.length === 0)
          return resolve(socket.setNoDelay(true));
        socket.on('error', () => {}).destroy();
        reject(statusCode === REFUSED ? new ProxyRefused() : new Error(`the proxy answers ${statusCode}`));
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        settle();
        if (!(error instanceof ConnectTimeout || error instanceof ConnectionLost))
          this.#note(`the proxy cannot be used (${error.code ?? error.name})`);
        reject(error);
      });
      request.end();
    });
  }

  /** Gives up what is under way. */
  destroy(): void {
    for (const request of this.#underWay) request.destroy(new ConnectionLost('no tunnel'));
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
      maxHeaderSize: MAX_HEADER_BYTES,
      ...VERIFIED,
    });
  }

  #note(fault: string | undefined): void {
    if (fault !== undefined && !this.#isFaulty) this.#proxy.report?.(fault);
    this.#isFaulty = fault !== undefined;
  }
}

/** Whom TLS leads to is verified, whatever the environment of the process says. */
export const VERIFIED = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
