import { hash } from 'node:crypto';
import { contents, encoded, readDer } from '../der/der-reader.ts';
import { derElement, derOid, derSequence } from '../der/der-writer.ts';
import { TAG } from '../der/tag.ts';
import type { Certificate } from '../x509/certificate.ts';
import { OID } from '../x509/oids.ts';

/** The CertID of OCSP (RFC 6960 §4.1.1); octets as lower-case hexadecimal. */
export interface CertId {
  /** Object identifier. */
  readonly hashAlgorithm: string;
  readonly issuerNameHash: string;
  readonly issuerKeyHash: string;
  readonly serialNumber: string;
}

const HASHES = { [OID.sha1]: 'sha1', [OID.sha256]: 'sha256' } as const;

const isKnownHash = (id: string): id is keyof typeof HASHES => id in HASHES;

/** DER of the issuer field, which the name hash is made of. */
function issuerField({ tbs }: Certificate): Uint8Array {
  const fields = readDer(tbs).children;
  const hasVersion = fields[0]!.tag === 0xa0;
  return encoded(fields[hasVersion ? 3 : 2]!);
}

/** The key itself: contents of the BIT STRING without the count of unused bits. */
function keyOctets({ spki }: Certificate): Uint8Array {
  return contents(readDer(spki).children[1]!).subarray(1);
}

/** Lower-case hexadecimal SHA-1 of a certificate's key, as a ResponderID carries it (RFC 6960 §4.2.1). */
export function keyHash(certificate: Certificate): string {
  return hash('sha1', keyOctets(certificate), 'hex');
}

/** The CertID of a certificate under a hash; undefined for another hash than SHA-1 and SHA-256. */
export function certIdOf(
  certificate: Certificate,
  issuer: Certificate,
  hashAlgorithm: string,
): CertId | undefined {
  if (!isKnownHash(hashAlgorithm)) return undefined;
  const algorithm = HASHES[hashAlgorithm];
  return {
    hashAlgorithm,
    issuerNameHash: hash(algorithm, issuerField(certificate), 'hex'),
    issuerKeyHash: hash(algorithm, keyOctets(issuer), 'hex'),
    serialNumber: Buffer.from(certificate.serialNumber).toString('hex'),
  };
}

/**
 * Returns the DER of an OCSP request for one certificate (RFC 6960 §4.1). It names the certificate with SHA-1, the only hash that
 * every responder knows (RFC 5019 §2.1.1); the hash is no signature. It has no nonce, as RFC 5019 §2.1.1 demands: answers produced
 * in advance carry none, so a missing nonce could not be rejected.
 */
export function encodeOcspRequest(certificate: Certificate, issuer: Certificate): Uint8Array {
  const id = certIdOf(certificate, issuer, OID.sha1)!;
  const octets = (text: string) => derElement(TAG.octetString, Buffer.from(text, 'hex'));
  const certId = derSequence([
    derSequence([derOid(id.hashAlgorithm), derElement(TAG.null, Buffer.alloc(0))]),
    octets(id.issuerNameHash),
    octets(id.issuerKeyHash),
    derElement(TAG.integer, certificate.serialNumber),
  ]);
  const request = derSequence([certId]);
  const tbsRequest = derSequence([derSequence([request])]);
  return derSequence([tbsRequest]);
}
