import type { TLSSocket } from 'node:tls';

/** The chain that a client presented in the handshake as RFC 9440 fields; nothing when it presented none. */
export interface ClientChain {
  clientCert?: string;
  clientCertChain?: string;
}

const byteSequence = (der: Buffer): string => `:${der.toString('base64')}:`;

/**
 * Reads the whole presented chain, in the order presented, leaf first; members that issued nothing included.
 * Call it once per connection and keep the answer: Node hands the chain beyond the leaf out only the first time.
 */
export function readClientChain(socket: TLSSocket): ClientChain {
  const presented: string[] = [];
  for (let at = socket.getPeerX509Certificate(); at; at = at.issuerCertificate)
    presented.push(byteSequence(at.raw));
  const [clientCert, ...rest] = presented;
  return {
    ...(clientCert === undefined ? {} : { clientCert }),
    ...(rest.length === 0 ? {} : { clientCertChain: rest.join(', ') }),
  };
}
