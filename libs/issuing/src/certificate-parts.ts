import { contents, encoded, readDer } from '@kontoport/certificates';

/** Parts of a certificate in their DER. `key` is the key alone, as OCSP hashes it (RFC 6960 §4.1.1). */
export interface CertificateParts {
  /** The whole INTEGER. */
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly key: Uint8Array;
}

/**
 * Splits a certificate of version 3 into its parts.
 * @throws DerError
 */
export function certificateParts(der: Uint8Array): CertificateParts {
  const [, serial, , issuer, , subject, spki] = readDer(der).children[0]!.children;
  return {
    serial: encoded(serial!),
    issuer: encoded(issuer!),
    subject: encoded(subject!),
    key: contents(spki!.children[1]!).subarray(1),
  };
}
