import type { Role } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** One certificate of a registered chain, with what GET /tpp/{clientId} shows of it (§2.1). */
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
  certificates: readonly [ChainCertificate, ...ChainCertificate[]];
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

/** What a TPP asks for at registration. */
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

/** The same for ids that never existed, belong to others or are deleted (§5.5). */
export function clientUnknown(): ApiError {
  return new ApiError('CLIENT_UNKNOWN', TEXTS('client-unknown'));
}

/**
 * The id of the caller's own client.
 * @throws ApiError CLIENT_UNKNOWN (404), the same for another's client and for none (§5.5)
 */
export function requireOwnClient(named: string, own: string): string {
  if (named !== own) throw clientUnknown();
  return own;
}
