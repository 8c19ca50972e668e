import type { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';

/** The identities of internal certificates: the services, the edge and the bank. */
export const SERVICE_IDENTITIES = [
  'registration',
  'auth',
  'account-information',
  'payments',
  'webhook-dispatcher',
  'edge',
  'bank',
] as const;

/** A process that calls or serves inside the system. */
export type ServiceIdentity = (typeof SERVICE_IDENTITIES)[number];

const SPIFFE = /^spiffe:\/\/[^/]+\/(?:[^/]+\/)*([^/]+)$/;

/**
 * Reads the identities in an internal certificate: a DNS name of one label (`auth`), or the last segment of a SPIFFE id
 * (`spiffe://bank.example/ns/door/sa/auth`). Other names are addresses.
 */
export function identitiesOf({
  subjectAltName = '',
}: Pick<X509Certificate, 'subjectAltName'>): ReadonlySet<ServiceIdentity> {
  // Node quotes names that contain separators; none of ours does.
  if (subjectAltName.includes('"')) return new Set();
  const names = subjectAltName.split(', ').map((entry) => {
    const [, kind, value = ''] = /^(DNS|URI):(.*)$/.exec(entry) ?? [];
    return kind === 'URI' ? SPIFFE.exec(value)?.[1] : value;
  });
  return new Set(SERVICE_IDENTITIES.filter((identity) => names.includes(identity)));
}

const known = new WeakMap<object, ReadonlySet<ServiceIdentity>>();

/**
 * Returns the identities that the peer of a connection has proven; none for an unknown connection.
 * @param connection its socket, or the certificate that the peer presented
 */
export function peerIdentities(connection: object | undefined): ReadonlySet<ServiceIdentity> {
  return (connection && known.get(connection)) ?? NONE;
}

/** Whether one of the identities is allowed. */
export function isAllowed(
  identities: ReadonlySet<ServiceIdentity>,
  allowed: readonly ServiceIdentity[] = [],
): boolean {
  return allowed.some((identity) => identities.has(identity));
}

const NONE: ReadonlySet<ServiceIdentity> = new Set();

/** Records the identities that the peer of a connection has proven. */
export function rememberIdentities(connection: TLSSocket, identities: ReadonlySet<ServiceIdentity>): void {
  known.set(connection, identities);
}

/** Records the peer's certificate too, for code that sees only that. It is read once for all calls of the connection. */
export function rememberCertificate(connection: TLSSocket): void {
  const certificate = connection.getPeerCertificate();
  known.set(certificate, peerIdentities(connection));
  connection.getPeerCertificate = () => certificate as DetailedPeerCertificate;
}
