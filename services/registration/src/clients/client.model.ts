import type { Role } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** One certificate of a registered chain, with the fields of GET /tpp/{clientId} (§2.1). */
export interface ChainCertificate {
  der: Uint8Array;
  /** base64url SHA-256 of the DER. */
  thumbprint: string;
  subject: string;
  /** Colon-separated hexadecimal. */
  subjectKeyId: string;
  issuer: string;
  serialNumber: string;
  notBefore: Date;
  notAfter: Date;
}

/** A chain over which the client may call: leaf first, trust anchor last. */
export interface CertificateChain {
  /** The display name in its leaf; for a client from before added certificates, the client's. */
  displayName: string;
  /** Roles of §2.1 in its leaf. */
  roles: readonly Role[];
  certificates: readonly [ChainCertificate, ...ChainCertificate[]];
}

/** Returns a chain as the directory sends it. */
export function leafOf({ certificates, roles }: CertificateChain): {
  thumbprint: string;
  notAfter: Date;
  roles: readonly Role[];
} {
  const [{ thumbprint, notAfter }] = certificates;
  return { thumbprint, notAfter, roles };
}

/** The name in a chain, which a client may use until the chain ends. */
export interface Backing {
  /** Null once the client is deleted. */
  displayName: string | null;
  /** End of its leaf. */
  notAfter: Date;
}

/** @returns the name in a chain and its end */
export function backingOf({ certificates, displayName }: CertificateChain): Backing {
  return { displayName, notAfter: certificates[0].notAfter };
}

/** Returns the end of the last chain with a name (§2.1); undefined when none has it. */
export function endOfName(chains: readonly Backing[], name: string): Date | undefined {
  const ends = chains
    .filter(({ displayName }) => displayName === name)
    .map(({ notAfter }) => Number(notAfter));
  return ends.length === 0 ? undefined : new Date(Math.max(...ends));
}

/**
 * Returns the next name of a client after the last chain with its name has ended: the name of the oldest live chain, and
 * its end; undefined without a live chain.
 * @param chains the oldest first
 */
export function nextName(
  chains: readonly Backing[],
  now: Date,
): { displayName: string; namedUntil: Date } | undefined {
  const live = chains.filter(({ notAfter }) => notAfter >= endOfLife(now));
  const displayName = live.find(({ displayName: name }) => name !== null)?.displayName;
  const namedUntil = displayName ? endOfName(live, displayName) : undefined;
  return displayName && namedUntil ? { displayName, namedUntil } : undefined;
}

/** A registered TPP that is not deleted. */
export interface Client {
  clientId: string;
  name: string;
  /** Consent display name: from the leaf certificate, not from `name` (§2.1). */
  displayName: string;
  roles: readonly Role[];
  redirectUris: readonly string[];
  organizationIdentifier: string;
  certificateChains: readonly CertificateChain[];
  createdAt: Date;
}

/** A registration as a TPP requests it. */
export interface Registration {
  name: string;
  roles: readonly Role[];
  redirectUris: readonly string[];
}

/** @throws ApiError ROLE_INVALID (403) when a role is requested that the certificate does not hold (§4.2). */
export function requireCertifiedRoles(requested: readonly Role[], certified: readonly Role[]): void {
  const excess = requested.filter((role) => !certified.includes(role));
  if (excess.length > 0)
    throw new ApiError('ROLE_INVALID', TEXTS('role-not-held', { roles: excess.join(', ') }));
}

/**
 * Adds a certificate only to a client that has all roles of the certificate (§4.2).
 * @throws ApiError ROLE_INVALID (403) naming the roles that the client is not registered for
 */
export function requireRegisteredRoles(certified: readonly Role[], registered: readonly Role[]): void {
  const excess = certified.filter((role) => !registered.includes(role));
  if (excess.length > 0)
    throw new ApiError('ROLE_INVALID', TEXTS('role-not-registered', { roles: excess.join(', ') }));
}

/** @throws ApiError CERTIFICATE_INVALID (403) for the certificate of another organization (§4.2) */
export function requireSameOrganization(certified: string, registered: string): void {
  if (certified !== registered)
    throw new ApiError('CERTIFICATE_INVALID', TEXTS('organization-other'), { status: 403 });
}

/** Tolerated clock difference: a certificate is accepted for this time after its end (§5.1). */
const CLOCK_TOLERANCE_MS = 60_000;

/** Returns the earliest end of a live chain. Chains whose leaf ended before it are not live. */
export function endOfLife(now: Date): Date {
  return new Date(now.getTime() - CLOCK_TOLERANCE_MS);
}

/** Refuses unknown, foreign and deleted ids with the same error (§5.5). */
export function clientUnknown(): ApiError {
  return new ApiError('CLIENT_UNKNOWN', TEXTS('client-unknown'));
}

/**
 * Returns the id of the caller's own client.
 * @throws ApiError CLIENT_UNKNOWN (404), the same for another's client and for an unknown one (§5.5)
 */
export function requireOwnClient(named: string, own: string): string {
  if (named !== own) throw clientUnknown();
  return own;
}
