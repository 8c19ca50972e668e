// Certificates of the local sandbox: P-256 keys, ECDSA with SHA-256, RFC 5280 profile. Own code writes
// and signs the certificate, because a draft may contain faults that no library signs: see faults.ts.
import 'reflect-metadata';
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { derElement, derSequence, TAG } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import { namingSources, type RevocationSources } from './revocation-sources.ts';
import { identifierOf, type SignatureAlgorithm, signatureAlgorithmOf, signed } from './signed.ts';
import { derTime, type TimeForm } from './time.ts';

const DAY_MS = 86_400_000;
/** A new certificate begins a little earlier, for machines with a slow clock. */
const CLOCK_SKEW_MS = 60_000;

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const GENERATE_KEY = {
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'P-256 explicit': () => generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }),
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  secp256k1: () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  'RSA-1024': () => generateKeyPairSync('rsa', { modulusLength: 1024 }),
  'RSA-2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const satisfies Readonly<Record<string, () => KeyPair>>;

/** `P-256 explicit`: with the parameters of the curve in place of its name. */
export type KeyKind = keyof typeof GENERATE_KEY;

/** A certificate authority that can sign: its certificate and its private key. */
export interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly key: KeyObject;
  /** DER certificates to present with what it issues: its own first, no self-signed one. Absent: its own alone. */
  readonly presented?: readonly Uint8Array[];
  /** Absent: derived from its key. */
  readonly signatureAlgorithm?: SignatureAlgorithm;
  /** Its OCSP responder and CRL. Absent: its certificates name neither. */
  readonly sources?: RevocationSources;
}

/** An issuer on disk: the paths of two PEM files, and the revocation sources that its certificates name. */
export interface IssuerFiles {
  certificate: string;
  key: string;
  sources?: RevocationSources;
}

export interface CertificateRequest {
  readonly subject: x509.Name;
  /** Counted from `at`; never beyond the issuer's own end. */
  readonly days: number;
  readonly at: Date;
  readonly extensions: readonly x509.Extension[];
  /** Absent: self-signed. */
  readonly issuer?: Issuer;
  /** Absent: P-256. */
  readonly keyKind?: KeyKind;
  /** Absent: fresh ones. */
  readonly keys?: KeyPair;
  /** The public key of a foreign private key, in place of `keys`. Needs an issuer. */
  readonly publicKey?: KeyObject;
  /** Absent: the issuer's. */
  readonly signatureAlgorithm?: SignatureAlgorithm;
}

/** The contents of a certificate, and its signer. */
export interface Draft {
  readonly version: 1 | 3;
  /** Contents octets of the INTEGER. */
  readonly serialNumber: Uint8Array;
  readonly issuerName: x509.Name;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** `by-year`: UTCTime to 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
  readonly timeForm: TimeForm;
  readonly subject: x509.Name;
  readonly publicKey: KeyObject;
  /** Absent for a foreign key. */
  readonly privateKey?: KeyObject;
  readonly extensions: readonly x509.Extension[];
  readonly signer: KeyObject;
  readonly signatureAlgorithm: SignatureAlgorithm;
  /** The algorithm outside the signed part. It differs only for a fault. */
  readonly outerAlgorithm: SignatureAlgorithm;
}

/** An issued certificate. The key PEM is PKCS #8 and secret. */
export interface Issued extends Issuer {
  readonly der: Uint8Array;
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** Positive, non-zero, 16 octets (RFC 5280 §4.1.2.2 allows 20). */
function serialNumber(): Uint8Array {
  const octets = randomBytes(16);
  octets[0] = (octets[0]! & 0x7f) | 0x40;
  return octets;
}

const spkiOf = (key: KeyObject): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(key.export({ type: 'spki', format: 'der' }));

/** Drafts a certificate for a key pair by the profile, with subject and authority key identifiers. */
export async function draftCertificate(request: CertificateRequest): Promise<Draft> {
  const { issuer, at } = request;
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey?: KeyObject } = request.publicKey
    ? { publicKey: request.publicKey }
    : (request.keys ?? GENERATE_KEY[request.keyKind ?? 'P-256']());
  const end = new Date(at.getTime() + request.days * DAY_MS);
  const signer = issuer?.key ?? privateKey;
  if (!signer) throw new Error('nobody can sign');
  const signatureAlgorithm =
    request.signatureAlgorithm ?? issuer?.signatureAlgorithm ?? signatureAlgorithmOf(signer);
  return {
    version: 3,
    serialNumber: serialNumber(),
    issuerName: issuer ? issuer.certificate.subjectName : request.subject,
    notBefore: new Date(at.getTime() - CLOCK_SKEW_MS),
    notAfter: issuer && issuer.certificate.notAfter < end ? issuer.certificate.notAfter : end,
    timeForm: 'by-year',
    subject: request.subject,
    publicKey,
    ...(privateKey && { privateKey }),
    extensions: [
      ...request.extensions,
      await x509.SubjectKeyIdentifierExtension.create(spkiOf(publicKey)),
      await x509.AuthorityKeyIdentifierExtension.create(
        issuer ? issuer.certificate.publicKey : spkiOf(publicKey),
      ),
      ...(issuer?.sources ? namingSources(issuer.sources) : []),
    ],
    signer,
    signatureAlgorithm,
    outerAlgorithm: signatureAlgorithm,
  };
}

/** A name in DER. */
export const derName = (name: x509.Name): Uint8Array => new Uint8Array(name.toArrayBuffer());

function encodeTbs(draft: Draft): Uint8Array {
  const version = derElement(0xa0, derElement(TAG.integer, Buffer.of(draft.version - 1)));
  return derSequence([
    ...(draft.version === 1 ? [] : [version]),
    derElement(TAG.integer, draft.serialNumber),
    identifierOf(draft.signatureAlgorithm),
    derName(draft.issuerName),
    derSequence([derTime(draft.notBefore, draft.timeForm), derTime(draft.notAfter, draft.timeForm)]),
    derName(draft.subject),
    spkiOf(draft.publicKey),
    derElement(0xa3, derSequence(draft.extensions.map(({ rawData }) => new Uint8Array(rawData)))),
  ]);
}

/** Writes and signs a certificate: DER (RFC 5280 §4.1). Does not check the draft. */
export function signDraft(draft: Draft): Uint8Array<ArrayBuffer> {
  const { signer: key, signatureAlgorithm: algorithm, outerAlgorithm } = draft;
  return Uint8Array.from(signed({ tbs: encodeTbs(draft), key, algorithm, outerAlgorithm }));
}

/** A certificate as PEM, with a final newline. */
export function certificatePem(der: Uint8Array): string {
  return `${x509.PemConverter.encode(Uint8Array.from(der), 'CERTIFICATE')}\n`;
}

/** A private key as PKCS #8 PEM, with a final newline: secret. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** DER of an issuer's certificate. */
export const derOf = ({ certificate }: Issuer): Uint8Array => new Uint8Array(certificate.rawData);

/** The certificates to present with an issuer's leaf. */
export const presentedWith = (issuer: Issuer): readonly Uint8Array[] => issuer.presented ?? [derOf(issuer)];

/** Issues a certificate. `change` replaces fields of the draft. */
export async function issueCertificate(
  request: CertificateRequest,
  change?: (draft: Draft) => Partial<Draft>,
): Promise<Issued> {
  const good = await draftCertificate(request);
  const draft = { ...good, ...change?.(good) };
  const { privateKey } = draft;
  if (!privateKey) throw new Error('an issuer needs its private key');
  const der = signDraft(draft);
  return {
    certificate: new x509.X509Certificate(der),
    der,
    key: privateKey,
    presented: request.issuer ? [der, ...presentedWith(request.issuer)] : [],
    certificatePem: certificatePem(der),
    keyPem: keyPem(privateKey),
  };
}

/** Reads an issuer from its two PEM files. */
export async function readIssuer(files: IssuerFiles): Promise<Issuer> {
  const [certificate, key] = await Promise.all([
    readFile(files.certificate, 'utf8'),
    readFile(files.key, 'utf8'),
  ]);
  return {
    certificate: new x509.X509Certificate(certificate),
    key: createPrivateKey(key),
    ...(files.sources && { sources: files.sources }),
  };
}
