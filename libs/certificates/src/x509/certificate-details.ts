import { createHash } from 'node:crypto';
import { contents, readDer } from '../der/der-reader.ts';
import type { Certificate } from './certificate.ts';
import { formatName } from './names.ts';

/** Certificate detail object (§2.1). */
export interface CertificateDetails {
  /** Distinguished name, RFC 4514. */
  readonly subject: string;
  /** Colon-separated upper-case hexadecimal. */
  readonly subjectKeyId: string;
  readonly issuer: string;
  /** Upper-case hexadecimal, as `openssl x509 -serial` prints it. */
  readonly serialNumber: string;
  /** ISO 8601, UTC. */
  readonly notBefore: string;
  readonly notAfter: string;
}

/** The details that GET /tpp/{clientId} shows (§2.1). */
export function certificateDetails(certificate: Certificate): CertificateDetails {
  const { subject, issuer, values, serialNumber, notBefore, notAfter } = certificate;
  const keyId = values.subjectKeyId ?? computedKeyId(certificate);
  const serial = Buffer.from(serialNumber).toString('hex').toUpperCase();
  return {
    subject: formatName(subject),
    subjectKeyId: keyId.toUpperCase().match(/../g)!.join(':'),
    issuer: formatName(issuer),
    serialNumber: serial.replace(/^00(?=.)/, ''),
    notBefore: new Date(notBefore).toISOString(),
    notAfter: new Date(notAfter).toISOString(),
  };
}

/** The key identifier of a certificate that has none: SHA-1 of its public key (RFC 5280 §4.2.1.2, method 1). */
function computedKeyId({ spki }: Certificate): string {
  const [, key] = readDer(spki).children;
  const withoutUnusedBits = contents(key!).subarray(1);
  return createHash('sha1').update(withoutUnusedBits).digest('hex');
}
