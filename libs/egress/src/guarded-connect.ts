import { isIP, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import { buildConnector, errors } from 'undici';
import type { AddressGuard } from './address-guard.ts';
import { EgressFault } from './faults.ts';
import { type Tunnels, VERIFIED_TLS } from './proxy-tunnel.ts';

export interface Guard {
  names: AddressGuard;
  /** All connections go through them, if there are any. */
  tunnels: Tunnels | undefined;
  connectTimeout: number;
  /** Ends connections that are being made. */
  signal: AbortSignal;
}

type Target = buildConnector.Options;

/**
 * Connects to allowed addresses alone. It judges the address of the connected socket, before the first byte is sent: so a name
 * that resolves anew for each connection gains nothing.
 */
export function guardedConnect({ names, tunnels, connectTimeout, signal }: Guard): buildConnector.connector {
  const connected = promisify(
    buildConnector({
      ...VERIFIED_TLS,
      allowH2: false,
      // undici resumes a session for as long as the peer accepts it, and a resumed handshake verifies no certificate.
      maxCachedSessions: 0,
      timeout: connectTimeout,
      lookup: names.lookup,
      signal,
      // One context for all connections: to make one takes a fifth of the time of a handshake.
      secureContext: createSecureContext({ minVersion: VERIFIED_TLS.minVersion }),
    }),
  ) as (target: Target) => Promise<Socket>;

  async function open({ hostname, port }: Target): Promise<Socket> {
    // A literal address is never looked up.
    if (isIP(hostname) !== 0 && !names.allows(hostname))
      throw new EgressFault('address', 'the address is not public');
    if (tunnels !== undefined) {
      const address = isIP(hostname) === 0 ? (await names.find(hostname))[0].address : hostname;
      return tunnels.open({ address, port });
    }
    const socket = await connected({ protocol: 'http:', hostname, port });
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && names.allows(remoteAddress)) return socket;
    socket.destroy();
    // A peer that resets at once leaves no address.
    throw remoteAddress === undefined
      ? Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' })
      : new EgressFault('address', 'the connected address is not public');
  }

  const connect = async (target: Target): Promise<Socket> => {
    const isTls = target.protocol === 'https:';
    const socket = await open({ ...target, port: target.port || (isTls ? '443' : '80') });
    return isTls ? connected({ ...target, httpSocket: socket }).catch(failHandshake) : socket;
  };
  return (target, callback) =>
    void connect(target).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
}

/** Codes of OpenSSL and Node for a rejected certificate. */
const CERTIFICATE_CODE = /CERT|CRL|SIGNATURE|ISSUER|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME/;

/** Throws the fault of a failed TLS handshake: of the certificate, or another one. */
function failHandshake(cause: NodeJS.ErrnoException): never {
  if (cause instanceof errors.ConnectTimeoutError) throw cause;
  const { code = '' } = cause;
  throw !code.startsWith('ERR_SSL_') && CERTIFICATE_CODE.test(code)
    ? new EgressFault('certificate', 'the certificate is refused', { cause })
    : new EgressFault('tls', 'the TLS handshake failed', { cause });
}
