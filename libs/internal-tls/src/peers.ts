import type { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** Who speaks to a service from inside: the services, the edge before them and the bank behind them. */
export const PEERS = [
  'registration',
  'auth',
  'account-information',
  'payments',
  'webhook-dispatcher',
  'edge',
  'bank',
] as const;

/** One of them, by the name that its certificate bears. */
export type Peer = (typeof PEERS)[number];

const SPIFFE = /^spiffe:\/\/[^/]+\/(?:[^/]+\/)*([^/]+)$/;

/**
 * Whom an internal certificate names: as a DNS name of one label (`auth`), or as the end of a SPIFFE id
 * (`spiffe://bank.example/ns/door/sa/auth`). Other names are addresses, and name nobody.
 */
export function namesOf({ subjectAltName = '' }: Pick<X509Certificate, 'subjectAltName'>): ReadonlySet<Peer> {
  // Node quotes what has separators in it; nobody of ours needs that.
  if (subjectAltName.includes('"')) return new Set();
  const names = subjectAltName.split(', ').map((entry) => {
    const [, kind, value = ''] = /^(DNS|URI):(.*)$/.exec(entry) ?? [];
    return kind === 'URI' ? SPIFFE.exec(value)?.[1] : value;
  });
  return new Set(PEERS.filter((peer) => names.includes(peer)));
}

const known = new WeakMap<object, ReadonlySet<Peer>>();

/**
 * Whom the other end of a connection has proven to be.
 * @param connection its socket, or the certificate that it has shown; one that was never proven is nobody
 */
export function peerOf(connection: object | undefined): ReadonlySet<Peer> {
  return (connection && known.get(connection)) ?? NOBODY;
}

/** Whether one of the names is among those who may. */
export function isOneOf(names: ReadonlySet<Peer>, may: readonly Peer[] = []): boolean {
  return may.some((peer) => names.has(peer));
}

const NOBODY: ReadonlySet<Peer> = new Set();

/** Takes note of whom a connection was proven to be. */
export function notePeer(connection: TLSSocket, names: ReadonlySet<Peer>): void {
  known.set(connection, names);
}

/** Makes the certificate of a connection known as its peer's, for who sees nothing else of it; read once for all its calls. */
export function noteCertificate(connection: TLSSocket): void {
  const certificate = connection.getPeerCertificate();
  known.set(certificate, peerOf(connection));
  connection.getPeerCertificate = () => certificate as DetailedPeerCertificate;
}
