// Certificates of the local sandbox: P-256 keys, ECDSA with SHA-256, RFC 5280 profile. The certificate is written and
// signed here and not by a library, because a draft may also say what no library would sign: see faults.ts.
import 'reflect-metadata';
import {
  constants,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { derElement, derOid, derSequence, OID, TAG } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';

const DAY_MS = 86_400_000;
/** A new certificate is valid at once on machines whose clock is a little behind. */
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

const DER_NULL = derElement(TAG.null, new Uint8Array());
const SHA256 = derSequence([derOid(OID.sha256), DER_NULL]);
const PSS_SALT_OCTETS = 32;

/** The parameters of RSASSA-PSS with SHA-256 in both places (RFC 4055 §3.1). */
const PSS_PARAMETERS = derSequence([
  derElement(0xa0, SHA256),
  derElement(0xa1, derSequence([derOid('1.2.840.113549.1.1.8'), SHA256])),
  derElement(0xa2, derElement(TAG.integer, Buffer.of(PSS_SALT_OCTETS))),
]);

const SIGNATURE_ALGORITHMS = {
  'ecdsa-with-SHA1': { hash: 'sha1', identifier: derSequence([derOid('1.2.840.10045.4.1')]) },
  'ecdsa-with-SHA256': { hash: 'sha256', identifier: derSequence([derOid('1.2.840.10045.4.3.2')]) },
  'ecdsa-with-SHA384': { hash: 'sha384', identifier: derSequence([derOid('1.2.840.10045.4.3.3')]) },
  'ecdsa-with-SHA512': { hash: 'sha512', identifier: derSequence([derOid('1.2.840.10045.4.3.4')]) },
  sha256WithRSAEncryption: {
    hash: 'sha256',
    identifier: derSequence([derOid('1.2.840.113549.1.1.11'), DER_NULL]),
  },
  'RSASSA-PSS with SHA-256': {
    hash: 'sha256',
    identifier: derSequence([derOid('1.2.840.113549.1.1.10'), PSS_PARAMETERS]),
    pss: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: PSS_SALT_OCTETS },
  },
} as const satisfies Readonly<Record<string, { hash: string; identifier: Uint8Array; pss?: object }>>;

export type SignatureAlgorithm = keyof typeof SIGNATURE_ALGORITHMS;

/** A certificate authority that can sign: its certificate and its private key. */
export interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly key: KeyObject;
  /** DER certificates that go with what it issues, its own first, no self-signed one. Absent: its own alone. */
  readonly presented?: readonly Uint8Array[];
  /** Absent: the one that fits its key. */
  readonly signatureAlgorithm?: SignatureAlgorithm;
}

/** Where an issuer lies on disk: paths of two PEM files. */
export interface IssuerFiles {
  certificate: string;
  key: string;
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
  /** Absent: the issuer's. */
  readonly signatureAlgorithm?: SignatureAlgorithm;
}

/** Everything that a certificate will say, and who signs it. */
export interface Draft {
  readonly version: 1 | 3;
  /** Contents octets of the INTEGER. */
  readonly serialNumber: Uint8Array;
  readonly issuerName: x509.Name;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** `by-year`: UTCTime to 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
  readonly timeForm: 'by-year' | 'generalized';
  readonly subject: x509.Name;
  readonly keys: KeyPair;
  readonly extensions: readonly x509.Extension[];
  readonly signer: KeyObject;
  readonly signatureAlgorithm: SignatureAlgorithm;
  /** What stands outside the signed part; the same algorithm unless a fault is wanted. */
  readonly outerAlgorithm: SignatureAlgorithm;
}

/** What was issued. The key PEM is PKCS #8 and secret. */
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

/** The algorithm that fits a key: for elliptic curves with the hash of the curve's size. */
function signatureAlgorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SignatureAlgorithm {
  if (asymmetricKeyType === 'rsa') return 'sha256WithRSAEncryption';
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'ecdsa-with-SHA384';
  return asymmetricKeyDetails?.namedCurve === 'secp521r1' ? 'ecdsa-with-SHA512' : 'ecdsa-with-SHA256';
}

/** A certificate for a key pair as the profile wants it, with subject and authority key identifiers. */
export async function draftCertificate(request: CertificateRequest): Promise<Draft> {
  const { issuer, at } = request;
  const keys: KeyPair = request.keys ?? GENERATE_KEY[request.keyKind ?? 'P-256']();
  const end = new Date(at.getTime() + request.days * DAY_MS);
  const signer = issuer?.key ?? keys.privateKey;
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
    keys,
    extensions: [
      ...request.extensions,
      await x509.SubjectKeyIdentifierExtension.create(spkiOf(keys.publicKey)),
      await x509.AuthorityKeyIdentifierExtension.create(
        issuer ? issuer.certificate.publicKey : spkiOf(keys.publicKey),
      ),
    ],
    signer,
    signatureAlgorithm,
    outerAlgorithm: signatureAlgorithm,
  };
}

function derTime(date: Date, form: Draft['timeForm']): Uint8Array {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return form === 'generalized' || date.getUTCFullYear() >= 2050
    ? derElement(TAG.generalizedTime, Buffer.from(digits, 'latin1'))
    : derElement(TAG.utcTime, Buffer.from(digits.slice(2), 'latin1'));
}

const derName = (name: x509.Name): Uint8Array => new Uint8Array(name.toArrayBuffer());

function encodeTbs(draft: Draft): Uint8Array {
  const version = derElement(0xa0, derElement(TAG.integer, Buffer.of(draft.version - 1)));
  return derSequence([
    ...(draft.version === 1 ? [] : [version]),
    derElement(TAG.integer, draft.serialNumber),
    SIGNATURE_ALGORITHMS[draft.signatureAlgorithm].identifier,
    derName(draft.issuerName),
    derSequence([derTime(draft.notBefore, draft.timeForm), derTime(draft.notAfter, draft.timeForm)]),
    derName(draft.subject),
    spkiOf(draft.keys.publicKey),
    derElement(0xa3, derSequence(draft.extensions.map(({ rawData }) => new Uint8Array(rawData)))),
  ]);
}

/** Writes and signs a certificate: DER (RFC 5280 §4.1). Nothing of the draft is questioned. */
export function signDraft(draft: Draft): Uint8Array<ArrayBuffer> {
  const tbs = encodeTbs(draft);
  const { hash, ...algorithm } = SIGNATURE_ALGORITHMS[draft.signatureAlgorithm];
  const pss = 'pss' in algorithm ? algorithm.pss : {};
  const signature = sign(hash, tbs, { key: draft.signer, ...pss });
  return Uint8Array.from(
    derSequence([
      tbs,
      SIGNATURE_ALGORITHMS[draft.outerAlgorithm].identifier,
      derElement(TAG.bitString, Buffer.concat([Buffer.of(0), signature])),
    ]),
  );
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

/** What an issuer's certificates are presented with. */
export const presentedWith = (issuer: Issuer): readonly Uint8Array[] => issuer.presented ?? [derOf(issuer)];

/** Issues a certificate; `change` replaces what the draft says. */
export async function issueCertificate(
  request: CertificateRequest,
  change?: (draft: Draft) => Partial<Draft>,
): Promise<Issued> {
  const good = await draftCertificate(request);
  const draft = { ...good, ...change?.(good) };
  const der = signDraft(draft);
  return {
    certificate: new x509.X509Certificate(der),
    der,
    key: draft.keys.privateKey,
    presented: request.issuer ? [der, ...presentedWith(request.issuer)] : [],
    certificatePem: certificatePem(der),
    keyPem: keyPem(draft.keys.privateKey),
  };
}

/** Reads an issuer back from its two PEM files. */
export async function readIssuer(files: IssuerFiles): Promise<Issuer> {
  const [certificate, key] = await Promise.all([
    readFile(files.certificate, 'utf8'),
    readFile(files.key, 'utf8'),
  ]);
  return { certificate: new x509.X509Certificate(certificate), key: createPrivateKey(key) };
}
