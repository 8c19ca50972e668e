import { constants, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { derElement, derOid, derSequence, derUtf8String, OID, TAG } from '../src/index.ts';

/** INTEGER from its contents octets. */
export const integer = (contents: Uint8Array): Uint8Array => derElement(TAG.integer, contents);

/** AlgorithmIdentifier. */
export const algorithm = (id: string, ...parameters: readonly Uint8Array[]): Uint8Array =>
  derSequence([derOid(id), ...parameters]);

/** An extension around a DER value. */
export function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  const flag = critical ? [Buffer.of(TAG.boolean, 1, 0xff)] : [];
  return derSequence([derOid(id), ...flag, derElement(TAG.octetString, value)]);
}

/** A name of one common name. */
export const commonName = (text: string): Uint8Array =>
  derSequence([derElement(TAG.set, derSequence([derOid(OID.commonName), derUtf8String(text)]))]);

/** SubjectPublicKeyInfo of an RSA key that has no private half. */
export function rsaKey(modulus: Uint8Array, exponent: Uint8Array): Uint8Array {
  const key = derSequence([integer(Buffer.concat([Buffer.of(0), modulus])), integer(exponent)]);
  return derSequence([
    algorithm('1.2.840.113549.1.1.1', Buffer.of(TAG.null, 0)),
    derElement(TAG.bitString, Buffer.concat([Buffer.of(0), key])),
  ]);
}

/** An odd number of the given number of bits with the highest one set. */
export function oddNumber(bits: number): Uint8Array {
  const octets = randomBytes(bits / 8);
  octets[0]! |= 0x80;
  octets[octets.length - 1]! |= 1;
  return octets;
}

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The default key of every handmade certificate. */
export const handmadeKey: Uint8Array = keys.publicKey.export({ type: 'spki', format: 'der' });

const keyId = Buffer.alloc(20, 1);

/** Extensions of a CA whose key identifier is that of all handmade CAs. */
export const caExtensions: readonly Uint8Array[] = [
  extension(OID.basicConstraints, derSequence([Buffer.of(TAG.boolean, 1, 0xff)]), true),
  extension(OID.keyUsage, Buffer.of(TAG.bitString, 2, 1, 6), true),
  extension(OID.subjectKeyIdentifier, derElement(TAG.octetString, keyId)),
  extension(OID.authorityKeyIdentifier, derSequence([derElement(0x80, keyId)])),
];

/** The least that a certificate below a handmade CA needs. */
export const leafExtensions: readonly Uint8Array[] = caExtensions.slice(3);

const ecdsa = algorithm('1.2.840.10045.4.3.2');
const day = 86_400_000;

const digitsOf = (time: number): string => new Date(time).toISOString().replaceAll(/[-:T]|\.\d+/g, '');

const utcTime = (time: number): Uint8Array => derElement(TAG.utcTime, Buffer.from(digitsOf(time).slice(2)));

const generalizedTime = (time: number): Uint8Array =>
  derElement(TAG.generalizedTime, Buffer.from(digitsOf(time)));

/** A certificate of DER parts that no library would write; signed with the handmade key by default. */
export function handmade(parts: {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly extensions: readonly Uint8Array[];
  readonly spki?: Uint8Array;
  readonly algorithm?: Uint8Array;
  /** The signature is RSASSA-PSS with SHA-256 and a salt of 32 octets. */
  readonly pssKey?: KeyObject;
  readonly signature?: Uint8Array;
  /** Contents octets of the serial number. */
  readonly serial?: Uint8Array;
  /** The two dates are GeneralizedTime. */
  readonly longDates?: boolean;
}): Uint8Array {
  const signatureAlgorithm = parts.algorithm ?? ecdsa;
  const time = parts.longDates ? generalizedTime : utcTime;
  const tbs = derSequence([
    derElement(0xa0, integer(Buffer.of(2))),
    integer(parts.serial ?? Buffer.concat([Buffer.of(1), randomBytes(15)])),
    signatureAlgorithm,
    parts.issuer,
    derSequence([time(Date.now() - day), time(Date.now() + day)]),
    parts.subject,
    parts.spki ?? handmadeKey,
    derElement(0xa3, derSequence(parts.extensions)),
  ]);
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  const signature =
    parts.signature ?? sign('sha256', tbs, parts.pssKey ? { key: parts.pssKey, ...pss } : keys.privateKey);
  const bits = derElement(TAG.bitString, Buffer.concat([Buffer.of(0), signature]));
  return derSequence([tbs, signatureAlgorithm, bits]);
}
