import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  contents,
  DerError,
  type DerNode,
  encoded,
  expectTag,
  readOid,
  readSmallInteger,
} from '../der/der-reader.ts';
import { TAG } from '../der/tag.ts';

export type Hash = 'sha256' | 'sha384' | 'sha512';

/** A signature algorithm that is permitted (ETSI TS 119 312), with what node:crypto needs to verify it. */
export interface SignatureAlgorithm {
  readonly name: string;
  readonly key: 'rsa' | 'ec';
  readonly hash: Hash;
  /** Octets; RSA-PSS only. */
  readonly saltLength?: number;
}

const PERMITTED: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { name: 'sha256WithRSAEncryption', key: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { name: 'sha384WithRSAEncryption', key: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { name: 'sha512WithRSAEncryption', key: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.3.2': { name: 'ecdsa-with-SHA256', key: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { name: 'ecdsa-with-SHA384', key: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { name: 'ecdsa-with-SHA512', key: 'ec', hash: 'sha512' },
};

const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';

const HASHES: Readonly<Record<string, { readonly hash: Hash; readonly octets: number }>> = {
  '2.16.840.1.101.3.4.2.1': { hash: 'sha256', octets: 32 },
  '2.16.840.1.101.3.4.2.2': { hash: 'sha384', octets: 48 },
  '2.16.840.1.101.3.4.2.3': { hash: 'sha512', octets: 64 },
};

/** Names of what is refused, for the evidence. */
const REFUSED: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.4': 'MD5 signature (md5WithRSAEncryption)',
  '1.2.840.113549.1.1.5': 'SHA-1 signature (sha1WithRSAEncryption)',
  '1.2.840.113549.1.1.14': 'SHA-224 signature (sha224WithRSAEncryption)',
  '1.2.840.10045.4.1': 'SHA-1 signature (ecdsa-with-SHA1)',
  '1.2.840.10045.4.3.1': 'SHA-224 signature (ecdsa-with-SHA224)',
  '1.2.840.10040.4.3': 'SHA-1 signature (dsa-with-SHA1)',
  '2.16.840.1.101.3.4.3.2': 'DSA signature (dsa-with-SHA256)',
};

export type Judged<T> =
  | { readonly value: T; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined };

/** Reads an AlgorithmIdentifier of a signature; a fault in words when it is not permitted. */
export function readSignatureAlgorithm(node: DerNode): Judged<SignatureAlgorithm> {
  const [idNode, parameters, extra] = node.children;
  if (extra) throw new DerError('signature algorithm with unknown fields');
  const id = readOid(idNode, 'signature algorithm');
  if (id === RSA_PSS) return readPssAlgorithm(parameters);
  const algorithm = PERMITTED[id];
  if (!algorithm) return { fault: REFUSED[id] ?? `signature algorithm ${id} is not permitted` };
  // RFC 4055 §5 allows NULL or nothing for RSA, RFC 5758 §3.2 only nothing for ECDSA.
  if (parameters && (algorithm.key === 'ec' || parameters.tag !== TAG.null))
    return { fault: `${algorithm.name} with parameters` };
  return { value: algorithm };
}

function readPssAlgorithm(parameters: DerNode | undefined): Judged<SignatureAlgorithm> {
  const listed = parameters?.children ?? [];
  const tags = listed.map(({ tag }) => tag);
  const isInOrder = tags.every((tag, i) => tag >= 0xa0 && tag <= 0xa3 && tag > (tags[i - 1] ?? 0));
  if (!isInOrder || listed.some(({ children }) => children.length !== 1))
    throw new DerError('RSASSA-PSS with unknown parameters');
  const fields = new Map(listed.map((child) => [child.tag, child.children[0]]));
  const hashNode = fields.get(0xa0);
  const maskNode = fields.get(0xa1);
  // The defaults of RFC 4055 §3.1 are SHA-1.
  if (!hashNode || !maskNode) return { fault: 'SHA-1 signature (RSASSA-PSS with default parameters)' };
  const hash = HASHES[readOid(hashNode.children[0], 'PSS hash')];
  const isMgf1 = readOid(maskNode.children[0], 'PSS mask') === MGF1;
  const maskHash = isMgf1 && HASHES[readOid(maskNode.children[1]?.children[0], 'PSS mask hash')];
  if (!hash || !maskHash) return { fault: 'RSASSA-PSS with a hash that is not permitted' };
  if (maskHash.hash !== hash.hash) return { fault: 'RSASSA-PSS with two different hashes' };
  const saltNode = fields.get(0xa2);
  const readNumber = (field: DerNode, what: string) =>
    readSmallInteger(contents(expectTag(field, TAG.integer, what)), what);
  const saltLength = saltNode ? readNumber(saltNode, 'PSS salt length') : 20;
  // The only defined trailer; RFC 4055 §3.1 requires signers to omit it and verifiers to recognize it.
  const trailerNode = fields.get(0xa3);
  if (trailerNode && readNumber(trailerNode, 'PSS trailer') !== 1)
    return { fault: 'RSASSA-PSS with an unknown trailer field' };
  if (saltLength > 64) return { fault: 'RSASSA-PSS with a salt of more than 64 octets' };
  return { value: { name: `RSASSA-PSS with ${hash.hash}`, key: 'rsa', hash: hash.hash, saltLength } };
}

/** The properties of a public key: kind and size, for the evidence, and a fault when it is not permitted. */
export interface PublicKeyInfo {
  readonly kind: 'rsa' | 'ec' | 'other';
  readonly description: string;
  readonly fault: string | undefined;
}

const CURVES: Readonly<Record<string, { readonly name: string; readonly octets: number }>> = {
  '1.2.840.10045.3.1.7': { name: 'P-256', octets: 32 },
  '1.3.132.0.34': { name: 'P-384', octets: 48 },
  '1.3.132.0.35': { name: 'P-521', octets: 66 },
};

/**
 * Reads a SubjectPublicKeyInfo and judges algorithm and size (ETSI TS 119 312; RFC 5480).
 * @throws DerError
 */
export function readPublicKey(node: DerNode, readKey: (bytes: Uint8Array) => DerNode): PublicKeyInfo {
  const [algorithm, key, extra] = expectTag(node, TAG.sequence, 'subjectPublicKeyInfo').children;
  if (extra) throw new DerError('subjectPublicKeyInfo with unknown fields');
  const [idNode, parameters] = expectTag(algorithm, TAG.sequence, 'public key algorithm').children;
  const id = readOid(idNode, 'public key algorithm');
  const bits = contents(expectTag(key, TAG.bitString, 'public key'));
  if (bits[0] !== 0) throw new DerError('public key with unused bits');
  const octets = bits.subarray(1);
  if (id === '1.2.840.113549.1.1.1' || id === RSA_PSS) return judgeRsaKey(readKey(octets));
  if (id === '1.2.840.10045.2.1') return judgeEcKey(parameters, octets);
  const name = id === '1.2.840.10040.4.1' ? 'DSA' : id;
  return { kind: 'other', description: name, fault: `public key algorithm ${name} is not permitted` };
}

function judgeRsaKey(node: DerNode): PublicKeyInfo {
  const [modulus, exponent, extra] = expectTag(node, TAG.sequence, 'RSA key').children;
  const n = contents(expectTag(modulus, TAG.integer, 'RSA modulus'));
  const e = contents(expectTag(exponent, TAG.integer, 'RSA exponent'));
  const magnitude = n[0] === 0 ? n.subarray(1) : n;
  const bits = magnitude.length * 8 - Math.clz32(magnitude[0] ?? 0) + 24;
  const description = `RSA ${bits} bits`;
  const faultOf = () => {
    if (extra) return 'RSA key with unknown fields';
    if (bits < 2048) return `${description}, fewer than 2048`;
    if (bits > 8192) return `${description}, more than 8192`;
    if (bits % 8 !== 0) return `${description}, not a multiple of 8`;
    if (n[0]! >= 0x80 || (magnitude.at(-1)! & 1) === 0) return 'RSA modulus is not an odd positive number';
    if (e[0]! >= 0x80 || e.length > 8 || (e.at(-1)! & 1) === 0 || (e.length === 1 && e[0] === 1))
      return 'RSA exponent is not an odd number from 3 to 2^63';
    return undefined;
  };
  return { kind: 'rsa', description, fault: faultOf() };
}

function judgeEcKey(parameters: DerNode | undefined, point: Uint8Array): PublicKeyInfo {
  const isNamed = parameters?.tag === TAG.oid;
  const id = isNamed ? readOid(parameters) : 'explicit parameters';
  const curve = CURVES[id];
  const description = `EC ${curve?.name ?? id}`;
  if (!curve) return { kind: 'ec', description, fault: `curve is none of P-256, P-384, P-521: ${id}` };
  const isPoint = point[0] === 4 && point.length === 1 + 2 * curve.octets;
  return {
    kind: 'ec',
    description,
    fault: isPoint ? undefined : 'EC key is not an uncompressed point of its curve',
  };
}

/** The key for node:crypto; undefined when OpenSSL rejects it (a point off its curve, for example). */
export function importPublicKey(spki: DerNode): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(encoded(spki)), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** True when `signature` over `data` verifies; false also for a key of the wrong kind. */
export function verifySignature(signed: {
  readonly algorithm: SignatureAlgorithm;
  readonly key: KeyObject;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
}): boolean {
  const { algorithm, key, data, signature } = signed;
  const type = key.asymmetricKeyType;
  const fits =
    algorithm.key === 'ec'
      ? type === 'ec'
      : type === 'rsa' || (type === 'rsa-pss' && algorithm.saltLength !== undefined);
  if (!fits) return false;
  const { saltLength } = algorithm;
  const padded =
    saltLength === undefined ? key : { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  try {
    return verify(algorithm.hash, data, padded, signature);
  } catch {
    return false;
  }
}
