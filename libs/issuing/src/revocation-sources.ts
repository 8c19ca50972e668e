// The revocation sources that a certificate names.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** Addresses of an OCSP responder and of a revocation list. */
export interface RevocationSources {
  readonly ocsp: string;
  readonly crl: string;
}

/** authorityInfoAccess with OCSP responders (RFC 5280 §4.2.2.1). */
export const ocspAt = (...urls: readonly string[]): x509.Extension =>
  new x509.AuthorityInfoAccessExtension({ ocsp: [...urls] });

/** cRLDistributionPoints (RFC 5280 §4.2.1.13). */
export const crlAt = (...urls: readonly string[]): x509.Extension =>
  new x509.CRLDistributionPointsExtension([...urls]);

/** The extensions that name these sources. */
export const namingSources = ({ ocsp, crl }: RevocationSources): readonly x509.Extension[] => [
  ocspAt(ocsp),
  crlAt(crl),
];
