import type { Certificate } from './certificate.ts';
import { formatName } from './names.ts';

/** Certificate detail object (§2.1). */
export interface CertificateDetails {
  /** Distinguished name, RFC 4514. */
  readonly subject: string;
  /** Colon-separated upper-case hexadecimal; empty when the certificate has none. */
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
  const keyId = values.subjectKeyId?.toUpperCase().match(/../g) ?? [];
  const serial = Buffer.from(serialNumber).toString('hex').toUpperCase();
  return {
    subject: formatName(subject),
    subjectKeyId: keyId.join(':'),
    issuer: formatName(issuer),
    serialNumber: serial.replace(/^00(?=.)/, ''),
    notBefore: new Date(notBefore).toISOString(),
    notAfter: new Date(notAfter).toISOString(),
  };
}
