import { AuthorityInfoAccessSyntax, CRLDistributionPoints, type GeneralName } from '@peculiar/asn1-x509';
import { readDer } from '../der/der-reader.ts';
import type { Certificate } from '../x509/certificate.ts';
import { OID } from '../x509/oids.ts';
import { readValue } from '../x509/read-value.ts';

/** A revocation source that a certificate names. */
export interface RevocationSource {
  readonly kind: 'OCSP' | 'CRL';
  /** http or https. The egress guard checks its address. */
  readonly url: string;
}

/** Sources per certificate at most. Further ones are ignored. */
const MAX_OF_EACH_KIND = 2;

function valueOf<T>(certificate: Certificate, id: string, schema: new () => T[]): T[] {
  const extension = certificate.extensions.find((candidate) => candidate.id === id);
  return extension ? readValue(schema, readDer(extension.value)) : [];
}

function webAddresses(names: readonly GeneralName[]): readonly string[] {
  return names
    .map((name) => name.uniformResourceIdentifier)
    .filter((url) => url !== undefined && /^https?:\/\//i.test(url)) as string[];
}

function responders(certificate: Certificate): readonly string[] {
  const descriptions = valueOf(certificate, OID.authorityInfoAccess, AuthorityInfoAccessSyntax);
  const ofOcsp = descriptions.filter(({ accessMethod }) => accessMethod === OID.ocsp);
  return webAddresses(ofOcsp.map(({ accessLocation }) => accessLocation));
}

/** Points of another issuer (indirect CRLs), and those for some reasons only, are ignored. */
function distributionPoints(certificate: Certificate): readonly string[] {
  const points = valueOf(certificate, OID.crlDistributionPoints, CRLDistributionPoints);
  const whole = points.filter(({ reasons, cRLIssuer }) => !reasons && !cRLIssuer);
  return webAddresses(whole.flatMap(({ distributionPoint }) => distributionPoint?.fullName ?? []));
}

/**
 * The OCSP responders (RFC 5280 §4.2.2.1) and CRLs (RFC 5280 §4.2.1.13) that a certificate names, in the order in which they are
 * asked; other schemes than http and https are ignored. The certificate's extensions must be well-formed.
 */
export function revocationSources(certificate: Certificate): readonly RevocationSource[] {
  const ocsp = responders(certificate).map((url) => ({ kind: 'OCSP' as const, url }));
  const crl = distributionPoints(certificate).map((url) => ({ kind: 'CRL' as const, url }));
  return [...ocsp.slice(0, MAX_OF_EACH_KIND), ...crl.slice(0, MAX_OF_EACH_KIND)];
}

/**
 * Whether the issuer states that it never publishes revocation data of a certificate, because its lifetime is too short: RFC 9608,
 * or ETSI EN 319 412-1 §5.2.2. A CA cannot state that of a CA.
 */
export function needsNoRevocation({ extensions, values }: Certificate): boolean {
  const states = extensions.some(({ id }) => id === OID.noRevAvail || id === OID.validityAssuredShortTerm);
  return states && !values.basicConstraints?.ca;
}
