// The common form of certificates, revocation lists and OCSP responses: contents in DER, an algorithm, a signature.
import { constants, type KeyObject, sign } from 'node:crypto';
import { derElement, derOid, derSequence, OID, TAG } from '@kontoport/certificates';

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

/** Signature algorithms, by their standard names. */
export type SignatureAlgorithm = keyof typeof SIGNATURE_ALGORITHMS;

/** The AlgorithmIdentifier in DER. */
export const identifierOf = (algorithm: SignatureAlgorithm): Uint8Array =>
  SIGNATURE_ALGORITHMS[algorithm].identifier;

/** The algorithm that fits a key: for elliptic curves with the hash of the curve's size. */
export function signatureAlgorithmOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): SignatureAlgorithm {
  if (asymmetricKeyType === 'rsa') return 'sha256WithRSAEncryption';
  if (asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'ecdsa-with-SHA384';
  return asymmetricKeyDetails?.namedCurve === 'secp521r1' ? 'ecdsa-with-SHA512' : 'ecdsa-with-SHA256';
}

/** Signs `tbs`. Returns the sequence of it, the algorithm, the signature, and any further elements. */
export function signed(options: {
  readonly tbs: Uint8Array;
  readonly key: KeyObject;
  readonly algorithm: SignatureAlgorithm;
  /** The algorithm beside the signature. Absent: the same one. */
  readonly outerAlgorithm?: SignatureAlgorithm;
  readonly following?: readonly Uint8Array[];
}): Buffer {
  const { tbs, key, algorithm, outerAlgorithm = algorithm, following = [] } = options;
  const { hash, ...rest } = SIGNATURE_ALGORITHMS[algorithm];
  const pss = 'pss' in rest ? rest.pss : {};
  const signature = sign(hash, tbs, { key, ...pss });
  return derSequence([
    tbs,
    identifierOf(outerAlgorithm),
    derElement(TAG.bitString, Buffer.concat([Buffer.of(0), signature])),
    ...following,
  ]);
}
