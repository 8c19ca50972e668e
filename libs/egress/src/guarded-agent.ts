import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { buildConnector as connectors } from 'undici';
import { boundAnswers } from './bound-answers.ts';
import { Names, type NamesOptions, plainName } from './names.ts';
import { type ForwardProxy, ProxyRefused, Tunnels, VERIFIED } from './proxy-tunnel.ts';
import { type EgressRule, isAllowedAddress } from './public-address.ts';
import { Agent, buildConnector, errors } from './undici.ts';

/** A connection that the egress guard refused; nothing was sent. */
export class EgressForbidden extends Error {
  override readonly name = 'EgressForbidden';
}

/** Whether a request failed because no connection was made in time. */
export function isConnectTimeout(error: unknown): boolean {
  return error instanceof errors.ConnectTimeoutError;
}

export interface GuardedAgentOptions extends EgressRule {
  /** Milliseconds for a connection, name and TLS included; default 10,000. */
  connectTimeout?: number;
  /** Connections to one origin; default unlimited. */
  connections?: number;
  /** Bytes of one answer, headers and whatever frames its body included, beyond which the connection is ended; default unlimited. */
  answerBytes?: number;
  /** How names are looked up. */
  names?: NamesOptions;
  /** Through which all connections go. */
  proxy?: ForwardProxy | undefined;
}

/** The HTTP client of undici behind the guard. */
export class GuardedAgent extends Agent {
  readonly #names: Names;
  /** How many attempts there are at each host. */
  readonly #attempts = new Map<string, number>();

  /** @param names by which its connections find their addresses */
  constructor(names: Names, options: ConstructorParameters<typeof Agent>[0]) {
    super(options);
    this.#names = names;
  }

  /**
   * Notes an attempt at a host: undici does not say when nobody waits for a connection any more.
   * @param origin scheme, host and port, as `URL.origin` has them
   * @returns to be called once, when it has ended: a look-up that no further attempt waits for ends with it
   */
  begin(origin: string): () => void {
    // However it is written: they share the look-up.
    const host = plainName(new URL(origin).hostname);
    this.#attempts.set(host, (this.#attempts.get(host) ?? 0) + 1);
    return () => {
      const others = this.#attempts.get(host)! - 1;
      if (others > 0) return void this.#attempts.set(host, others);
      this.#attempts.delete(host);
      this.#names.cancel(host);
    };
  }
}

/**
 * An HTTP client for addresses that others chose: keep-alive, HTTP/1.1, no redirects, and no proxy but the one that it is
 * given. A connection is made only to an address that `isAllowedAddress` takes; it is the address really connected to that
 * is judged, so a name that is resolved anew for each connection gains nothing. Requests fail with EgressForbidden
 * otherwise, and where the proxy refuses. The proxy is told that address and no name, so it has nothing to resolve
 * (ADR 71).
 */
export function createGuardedAgent(options: GuardedAgentOptions): GuardedAgent {
  const { connectTimeout = 10_000, connections, answerBytes, names: namesOptions, proxy, ...rule } = options;
  const names = new Names(namesOptions);
  const resolver = new AllowedNames(names, rule);
  const connect = buildConnector({
    allowH2: false,
    timeout: connectTimeout,
    lookup: resolver.lookup,
    ...VERIFIED,
  });
  const connectThrough =
    proxy === undefined
      ? undefined
      : throughProxy({ tunnels: new Tunnels(proxy), connect, resolver, connectTimeout });
  return new GuardedAgent(names, {
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
    ...(connections === undefined ? {} : { connections }),
    connect(target, settle) {
      const callback: connectors.Callback = (...result) => {
        if (answerBytes !== undefined && result[1] !== null) boundAnswers(result[1], answerBytes);
        settle(...result);
      };
      // A literal address is never looked up.
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowedAddress(host, rule))
        return callback(new EgressForbidden('the address is not public'), null);
      if (connectThrough !== undefined)
        return void connectThrough({ ...target, hostname: host }).then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      connect({ ...target, hostname: host }, (error, socket) => {
        if (error) return callback(error, null);
        if (isAllowedAddress(socket.remoteAddress ?? '', rule)) return callback(null, socket);
        socket.destroy();
        callback(new EgressForbidden('the connected address is not public'), null);
      });
    },
  });
}

/** Connects by a tunnel to an allowed address of the target, and speaks TLS with the target itself. */
function throughProxy(options: {
  tunnels: Tunnels;
  connect: connectors.connector;
  resolver: AllowedNames;
  connectTimeout: number;
}): (target: connectors.Options) => Promise<Socket> {
  const { tunnels, connect, resolver, connectTimeout: limitMs } = options;
  return async (target) => {
    const { hostname, port, protocol } = target;
    const address = isIP(hostname) === 0 ? (await resolver.find(hostname))[0].address : hostname;
    const isTls = protocol === 'https:';
    const tunnel = await tunnels
      .open({ address, port: Number(port) || (isTls ? 443 : 80), limitMs })
      .catch((error: unknown) => {
        throw error instanceof ProxyRefused ? new EgressForbidden('the proxy refuses') : error;
      });
    if (!isTls) return tunnel;
    return new Promise((resolve, reject) => {
      connect({ ...target, httpSocket: tunnel }, (error, socket) =>
        error ? reject(error) : resolve(socket),
      );
    });
  };
}

/** Name resolution that shows only the allowed addresses of a name. */
class AllowedNames {
  readonly #names: Names;
  readonly #rule: EgressRule;

  constructor(names: Names, rule: EgressRule) {
    this.#names = names;
    this.#rule = rule;
  }

  /** @throws EgressForbidden when there is none among its addresses */
  async find(hostname: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
    const addresses = await this.#names.addresses(hostname);
    const [first, ...rest] = addresses.filter(({ address }) => isAllowedAddress(address, this.#rule));
    if (first === undefined) throw new EgressForbidden('the name resolves to no public address');
    return [first, ...rest];
  }

  readonly lookup: LookupFunction = (hostname, options: LookupOptions, callback) => {
    this.find(hostname).then(
      (allowed) => {
        if (options.all) callback(null, [...allowed]);
        else callback(null, allowed[0].address, allowed[0].family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
