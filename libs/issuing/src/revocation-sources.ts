// The revocation sources that a certificate names.
import 'reflect-metadata';
import { derElement, derOid, derSequence, OID } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';

/** Addresses of an OCSP responder and of a revocation list. */
export interface RevocationSources {
  readonly ocsp: string;
  readonly crl: string;
}

const uri = (url: string): Uint8Array => derElement(0x86, Buffer.from(url, 'latin1'));

/** authorityInfoAccess with OCSP responders (RFC 5280 §4.2.2.1). */
export function ocspAt(...urls: readonly string[]): x509.Extension {
  const descriptions = urls.map((url) => derSequence([derOid(OID.ocsp), uri(url)]));
  return new x509.Extension(OID.authorityInfoAccess, false, Uint8Array.from(derSequence(descriptions)));
}

/** cRLDistributionPoints (RFC 5280 §4.2.1.13). */
export function crlAt(...urls: readonly string[]): x509.Extension {
  const points = urls.map((url) => derSequence([derElement(0xa0, derElement(0xa0, uri(url)))]));
  return new x509.Extension(OID.crlDistributionPoints, false, Uint8Array.from(derSequence(points)));
}

/** The extensions that name these sources. */
export const namingSources = ({ ocsp, crl }: RevocationSources): readonly x509.Extension[] => [
  ocspAt(ocsp),
  crlAt(crl),
];
