import type { LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, errors } from 'undici';
import { Names, type NamesOptions } from './names.ts';
import { type EgressRule, isAllowedAddress } from './public-address.ts';

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
  /** How names are looked up. */
  names?: NamesOptions;
}

/** The HTTP client of undici behind the guard. */
export type GuardedAgent = Agent;

/**
 * An HTTP client for addresses that others chose: keep-alive, HTTP/1.1, no redirects, no proxy. A connection is made
 * only to an address that `isAllowedAddress` takes; it is the address really connected to that is judged, so a name
 * that is resolved anew for each connection gains nothing. Requests fail with EgressForbidden otherwise.
 */
export function createGuardedAgent(options: GuardedAgentOptions): GuardedAgent {
  const { connectTimeout = 10_000, connections, names, ...rule } = options;
  const connect = buildConnector({
    allowH2: false,
    timeout: connectTimeout,
    lookup: lookupAllowed(new Names(names), rule),
  });
  return new Agent({
    pipelining: 1,
    maxHeaderSize: 16 * 1024,
    ...(connections === undefined ? {} : { connections }),
    connect(target, callback) {
      // A literal address is never looked up.
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isAllowedAddress(host, rule))
        return callback(new EgressForbidden('the address is not public'), null);
      connect({ ...target, hostname: host }, (error, socket) => {
        if (error) return callback(error, null);
        if (isAllowedAddress(socket.remoteAddress ?? '', rule)) return callback(null, socket);
        socket.destroy();
        callback(new EgressForbidden('the connected address is not public'), null);
      });
    },
  });
}

/** Name resolution that shows only the allowed addresses of a name. */
function lookupAllowed(names: Names, rule: EgressRule): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    names.addresses(hostname).then(
      (addresses) => {
        const allowed = addresses.filter(({ address }) => isAllowedAddress(address, rule));
        const [first] = allowed;
        if (first === undefined)
          return callback(new EgressForbidden('the name resolves to no public address'), []);
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
