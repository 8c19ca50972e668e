import { createHash, type KeyObject } from 'node:crypto';
import {
  contents,
  DerError,
  type DerNode,
  encoded,
  expectTag,
  readDer,
  readSmallInteger,
} from '../der/der-reader.ts';
import { hex } from '../der/hex.ts';
import { TAG } from '../der/tag.ts';
import {
  importPublicKey,
  type Judged,
  type PublicKeyInfo,
  readPublicKey,
  readSignatureAlgorithm,
  type SignatureAlgorithm,
} from './algorithms.ts';
import {
  type Extension,
  type ExtensionFault,
  type ExtensionValues,
  interpretExtensions,
  readExtensions,
} from './extensions.ts';
import { type Name, readName } from './names.ts';
import { readTime } from './times.ts';

/** A parsed certificate: its structure is valid, its rules are not checked yet (`extensionFaults` lists broken extensions). */
export interface Certificate {
  readonly der: Uint8Array;
  /** Lower-case hexadecimal SHA-256 of the DER. */
  readonly sha256: string;
  /** The signed bytes. */
  readonly tbs: Uint8Array;
  readonly version: number;
  /** Contents octets of the serialNumber INTEGER. */
  readonly serialNumber: Uint8Array;
  readonly signatureAlgorithm: Judged<SignatureAlgorithm>;
  /** tbsCertificate.signature and signatureAlgorithm are the same bytes. */
  readonly signatureAlgorithmsAgree: boolean;
  readonly signature: Uint8Array;
  readonly issuer: Name;
  readonly subject: Name;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKeyInfo: PublicKeyInfo;
  readonly spki: Uint8Array;
  /** The key for node:crypto, imported at first use; undefined when OpenSSL refuses it. */
  readonly publicKey: () => KeyObject | undefined;
  readonly extensions: readonly Extension[];
  readonly values: ExtensionValues;
  /** Extensions against RFC 5280 §4.2.1: syntax and criticality. */
  readonly extensionFaults: readonly ExtensionFault[];
  readonly duplicateExtensions: readonly string[];
  readonly unknownCriticalExtensions: readonly string[];
  /** A date in the wrong ASN.1 type or form (RFC 5280 §4.1.2.5), in words. */
  readonly timeFault: string | undefined;
}

interface Fields {
  readonly version: number;
  readonly serial: DerNode;
  readonly algorithm: DerNode;
  readonly issuer: DerNode;
  readonly validity: DerNode;
  readonly subject: DerNode;
  readonly spki: DerNode;
  readonly extensions: DerNode | undefined;
}

function readFields(tbs: DerNode): Fields {
  const rest = [...expectTag(tbs, TAG.sequence, 'tbsCertificate').children];
  const versionNode = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
  const version = versionNode
    ? readSmallInteger(contents(expectTag(versionNode.children[0], TAG.integer, 'version')), 'version') + 1
    : 1;
  if (versionNode && versionNode.children.length !== 1) throw new DerError('version with unknown fields');
  const next = (tag: number, what: string) => expectTag(rest.shift(), tag, what);
  const fields = {
    version,
    serial: next(TAG.integer, 'serialNumber'),
    algorithm: next(TAG.sequence, 'signature'),
    issuer: next(TAG.sequence, 'issuer'),
    validity: next(TAG.sequence, 'validity'),
    subject: next(TAG.sequence, 'subject'),
    spki: next(TAG.sequence, 'subjectPublicKeyInfo'),
  };
  if (rest[0]?.tag === 0x81) rest.shift();
  if (rest[0]?.tag === 0x82) rest.shift();
  const wrapper = rest[0]?.tag === 0xa3 ? rest.shift() : undefined;
  if (rest.length > 0) throw new DerError('tbsCertificate with unknown fields');
  if (wrapper && wrapper.children.length !== 1) throw new DerError('extensions are not one sequence');
  return { ...fields, extensions: wrapper?.children[0] };
}

/**
 * Reads one X.509 certificate from DER (RFC 5280 §4.1).
 * @throws DerError when the bytes are not strict DER, not a certificate, or above the limits; broken
 *   extensions do not throw: `extensionFaults` lists them
 */
export function readCertificate(der: Uint8Array): Certificate {
  const root = expectTag(readDer(der), TAG.sequence, 'certificate');
  const [tbs, outerAlgorithm, signatureNode, extra] = root.children;
  if (!tbs || extra) throw new DerError('not a certificate: wrong number of parts');
  expectTag(outerAlgorithm, TAG.sequence, 'signatureAlgorithm');
  const signature = contents(expectTag(signatureNode, TAG.bitString, 'signature value'));
  if (signature[0] !== 0) throw new DerError('signature with unused bits');
  const fields = readFields(tbs);
  const [notBefore, notAfter, more] = fields.validity.children;
  if (!notBefore || !notAfter || more) throw new DerError('validity is not two dates');
  const times = { notBefore: readTime(notBefore), notAfter: readTime(notAfter) };
  const extensions = fields.extensions ? readExtensions(fields.extensions) : [];
  const { values, faults, duplicates, unknownCritical } = interpretExtensions(extensions);
  let key: KeyObject | undefined | null = null;
  return {
    der,
    sha256: createHash('sha256').update(der).digest('hex'),
    tbs: encoded(tbs),
    version: fields.version,
    serialNumber: contents(fields.serial),
    signatureAlgorithm: readSignatureAlgorithm(outerAlgorithm!),
    signatureAlgorithmsAgree: hex(encoded(outerAlgorithm!)) === hex(encoded(fields.algorithm)),
    signature: signature.subarray(1),
    issuer: readName(fields.issuer),
    subject: readName(fields.subject),
    notBefore: times.notBefore.time,
    notAfter: times.notAfter.time,
    publicKeyInfo: readPublicKey(fields.spki, readDer),
    spki: encoded(fields.spki),
    publicKey: () => {
      if (key === null) key = importPublicKey(fields.spki);
      return key;
    },
    extensions,
    values,
    extensionFaults: faults,
    duplicateExtensions: duplicates,
    unknownCriticalExtensions: unknownCritical,
    timeFault: times.notBefore.fault ?? times.notAfter.fault,
  };
}

/** Issuer and subject match: a certificate that a CA made for itself (RFC 5280 §3.2). */
export function isSelfIssued(certificate: Certificate): boolean {
  return certificate.issuer.key === certificate.subject.key;
}
