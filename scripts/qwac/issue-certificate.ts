// Certificates of the local sandbox: P-256 keys, ECDSA with SHA-256, RFC 5280 profile.
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as x509 from '@peculiar/x509';

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
/** A new certificate is valid at once on machines whose clock is a little behind. */
const CLOCK_SKEW_MS = 60_000;

/** A certificate authority that can sign: its certificate and its private key. */
export interface Issuer {
  certificate: x509.X509Certificate;
  key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
}

/** Where an issuer lies on disk: paths of two PEM files. */
export interface IssuerFiles {
  certificate: string;
  key: string;
}

export interface CertificateRequest {
  subject: x509.Name;
  /** Counted from `at`; never beyond the issuer's own end. */
  days: number;
  at: Date;
  extensions: x509.Extension[];
  /** Absent: self-signed. */
  issuer?: Issuer;
}

/** What was issued. The key PEM is PKCS #8 and secret. */
export interface Issued extends Issuer {
  certificatePem: string;
  keyPem: string;
}

/** Positive, non-zero, 16 octets (RFC 5280 §4.1.2.2 allows 20), as hexadecimal. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** Issues a certificate for a fresh key pair; adds subject and authority key identifiers. */
export async function issueCertificate(request: CertificateRequest): Promise<Issued> {
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify']);
  const { issuer, at } = request;
  const end = new Date(at.getTime() + request.days * DAY_MS);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: request.subject,
    issuer: issuer ? issuer.certificate.subjectName : request.subject,
    notBefore: new Date(at.getTime() - CLOCK_SKEW_MS),
    notAfter: issuer && issuer.certificate.notAfter < end ? issuer.certificate.notAfter : end,
    publicKey: keys.publicKey,
    signingKey: issuer?.key ?? keys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      ...request.extensions,
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer?.certificate.publicKey ?? keys.publicKey),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  return {
    certificate,
    key: keys.privateKey,
    certificatePem: `${certificate.toString('pem')}\n`,
    keyPem: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
  };
}

/** Reads an issuer back from its two PEM files. */
export async function readIssuer(files: IssuerFiles): Promise<Issuer> {
  const [certificate, keyPem] = await Promise.all([
    readFile(files.certificate, 'utf8'),
    readFile(files.key, 'utf8'),
  ]);
  const [pkcs8] = x509.PemConverter.decode(keyPem);
  if (!pkcs8) throw new Error(`${files.key} holds no private key`);
  return {
    certificate: new x509.X509Certificate(certificate),
    key: await crypto.subtle.importKey('pkcs8', pkcs8, P256, false, ['sign']),
  };
}
