import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  OID,
  ROLE_NAMES,
  TAG,
  derElement,
  derOid,
  derSequence,
  derUtf8String,
} from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';

/** Key and signature algorithm of a minted certificate. RSA-PSS is with SHA-256. */
export type MintAlgorithm = 'P-256' | 'P-384' | 'P-521' | 'RSA-2048' | 'RSA-PSS-2048';

/** A certification authority made for one run; its private key exists in memory only. */
export interface MintedCa {
  readonly certificate: x509.X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly algorithm: MintAlgorithm;
  /** DER certificates from this CA upwards, without a self-signed root. */
  readonly chain: readonly Uint8Array[];
  readonly der: Uint8Array;
  readonly certificatePem: string;
  readonly rootPem: string;
}

/** A website certificate with its key and the chain that a client presents. */
export interface MintedQwac {
  readonly certificate: x509.X509Certificate;
  /** DER, leaf first, each next one the issuer of the one before, without a self-signed root. */
  readonly chain: readonly Uint8Array[];
  readonly certificatePem: string;
  /** `chain` as PEM: what a TLS client presents. */
  readonly chainPem: string;
  /** Leaf to root as PEM: what POST /tpp/{clientId}/certificates takes. */
  readonly fullChainPem: string;
  /** PKCS#8. */
  readonly privateKeyPem: string;
}

const algorithms = {
  'P-256': { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  'P-521': { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  'RSA-2048': rsa('RSASSA-PKCS1-v1_5'),
  'RSA-PSS-2048': { ...rsa('RSA-PSS'), saltLength: 32 },
};

function rsa(name: string) {
  return { name, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
}

const day = 86_400_000;

function generateKeys(algorithm: MintAlgorithm): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithms[algorithm], true, ['sign', 'verify']);
}

/** 16 random octets, the first between 0x01 and 0x7f: positive and minimal (RFC 5280 §4.1.2.2). */
function serialNumber(): string {
  const octets = randomBytes(16);
  octets[0] = 1 + (octets[0]! % 0x7f);
  return octets.toString('hex');
}

function pem(certificates: readonly Uint8Array[]): string {
  return certificates.map((der) => `${x509.PemConverter.encode(der, 'CERTIFICATE')}\n`).join('');
}

/**
 * Makes a CA: self-signed, or under `issuer`. Valid from one day ago for ten years unless told otherwise.
 * `pathLength` is the number of CAs allowed beneath it.
 */
export async function mintCa(options: {
  readonly name: string;
  readonly issuer?: MintedCa;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly algorithm?: MintAlgorithm;
  readonly pathLength?: number;
  /** Keys of another CA, for a second certificate of the same one. */
  readonly keys?: webcrypto.CryptoKeyPair;
  readonly extensions?: readonly x509.Extension[];
}): Promise<MintedCa> {
  const algorithm = options.algorithm ?? 'P-256';
  const keys = options.keys ?? (await generateKeys(algorithm));
  const subject = new x509.Name([{ C: ['DK'] }, { O: [options.name] }, { CN: [options.name] }]);
  const { issuer } = options;
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(),
      subject: subject.toJSON(),
      issuer: issuer?.certificate.subjectName.toJSON() ?? subject.toJSON(),
      notBefore: options.notBefore ?? new Date(Date.now() - day),
      notAfter: options.notAfter ?? new Date(Date.now() + 3650 * day),
      publicKey: keys.publicKey,
      signingKey: issuer?.keys.privateKey ?? keys.privateKey,
      signingAlgorithm: algorithms[issuer?.algorithm ?? algorithm],
      extensions: [
        new x509.BasicConstraintsExtension(true, options.pathLength, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        ...(issuer ? [await x509.AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey)] : []),
        ...(options.extensions ?? []),
      ],
    },
    webcrypto,
  );
  const der = new Uint8Array(certificate.rawData);
  return {
    certificate,
    keys,
    algorithm,
    der,
    chain: issuer ? [der, ...issuer.chain] : [],
    certificatePem: pem([der]),
    rootPem: issuer?.rootPem ?? pem([der]),
  };
}

/** A role of TS 119 495 by its name, or any pair of identifier and name. */
export type MintRole =
  | 'PSP_AS'
  | 'PSP_PI'
  | 'PSP_AI'
  | 'PSP_IC'
  | { readonly oid: string; readonly name: string };

function roleSequence(role: MintRole): Uint8Array {
  if (typeof role === 'object') return derSequence([derOid(role.oid), derUtf8String(role.name)]);
  const known = Object.entries(ROLE_NAMES).find(([, name]) => name === role);
  if (!known) throw new RangeError(`Unknown role ${role}`);
  return derSequence([derOid(known[0]), derUtf8String(role)]);
}

/** The PSD2QcType statement of TS 119 495 §5.1, DER. */
export function psd2Statement(options: {
  readonly roles: readonly MintRole[];
  readonly ncaName: string;
  readonly ncaId: string;
}): Uint8Array {
  return derSequence([
    derOid(OID.psd2Statement),
    derSequence([
      derSequence(options.roles.map(roleSequence)),
      derUtf8String(options.ncaName),
      derUtf8String(options.ncaId),
    ]),
  ]);
}

const qcCompliance = derSequence([derOid(OID.qcCompliance)]);
const qcTypeWeb = derSequence([derOid(OID.qcType), derSequence([derOid(OID.qcTypeWeb)])]);
const qcPds = derSequence([
  derOid(OID.qcPds),
  derSequence([
    derSequence([
      derElement(TAG.ia5String, Buffer.from('https://pds.example/en.pdf')),
      derElement(TAG.printableString, Buffer.from('en')),
    ]),
  ]),
]);

/** National competent authority of an organizationIdentifier in the form PSDcc-NCA-number. */
function authorityOf(organizationIdentifier: string): string {
  return /^PSD([A-Z]{2}-[A-Z]{2,8})-/.exec(organizationIdentifier)?.[1] ?? 'DK-DFSA';
}

/**
 * Makes a qualified website authentication certificate (ETSI EN 319 412-4, -5; TS 119 495) under `issuer`:
 * valid from one hour ago for 90 days, both PSD2 roles, `DK-DFSA` or the authority that the identifier names.
 * `extensions` replace those of the same type; `without` leaves types out.
 */
export async function mintQwac(options: {
  readonly issuer: MintedCa;
  readonly organizationName: string;
  readonly organizationIdentifier: string;
  readonly commonName?: string;
  readonly roles?: readonly MintRole[];
  readonly ncaName?: string;
  readonly ncaId?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly algorithm?: MintAlgorithm;
  readonly extensions?: readonly x509.Extension[];
  readonly without?: readonly string[];
}): Promise<MintedQwac> {
  const { issuer } = options;
  const algorithm = options.algorithm ?? 'P-256';
  const keys = await generateKeys(algorithm);
  const country = /^PSD([A-Z]{2})/.exec(options.organizationIdentifier)?.[1] ?? 'DK';
  const commonName = options.commonName ?? 'tpp.example';
  const statement = psd2Statement({
    roles: options.roles ?? ['PSP_PI', 'PSP_AI'],
    ncaName: options.ncaName ?? 'Danish Financial Supervisory Authority',
    ncaId: options.ncaId ?? authorityOf(options.organizationIdentifier),
  });
  const replaced = new Set([
    ...(options.without ?? []),
    ...(options.extensions ?? []).map((extension) => extension.type),
  ]);
  const standard = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([OID.serverAuth, OID.clientAuth]),
    new x509.CertificatePolicyExtension([OID.qcpWeb, OID.qcpWebPsd2]),
    new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: commonName }]),
    new x509.Extension(OID.qcStatements, false, derSequence([qcCompliance, qcPds, qcTypeWeb, statement])),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey),
  ];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serialNumber(),
      subject: new x509.Name([
        { C: [country] },
        { O: [options.organizationName] },
        { [OID.organizationIdentifier]: [options.organizationIdentifier] },
        { CN: [commonName] },
      ]).toJSON(),
      issuer: issuer.certificate.subjectName.toJSON(),
      notBefore: options.notBefore ?? new Date(Date.now() - day / 24),
      notAfter: options.notAfter ?? new Date(Date.now() + 90 * day),
      publicKey: keys.publicKey,
      signingKey: issuer.keys.privateKey,
      signingAlgorithm: algorithms[issuer.algorithm],
      extensions: [
        ...standard.filter((extension) => !replaced.has(extension.type)),
        ...(options.extensions ?? []),
      ],
    },
    webcrypto,
  );
  const leaf = new Uint8Array(certificate.rawData);
  const chain = [leaf, ...issuer.chain];
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate,
    chain,
    certificatePem: pem([leaf]),
    chainPem: pem(chain),
    fullChainPem: pem(chain) + issuer.rootPem,
    privateKeyPem: `${x509.PemConverter.encode(privateKey, 'PRIVATE KEY')}\n`,
  };
}
