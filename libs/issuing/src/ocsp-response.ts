// Writes OCSP responses (RFC 6960 §4.2).
import { hash, type KeyObject } from 'node:crypto';
import { derElement, derOid, derSequence, OID, TAG } from '@kontoport/certificates';
import { certificateParts } from './certificate-parts.ts';
import { type SignatureAlgorithm, signatureAlgorithmOf, signed } from './signed.ts';
import { derTime } from './time.ts';

/** The status of one certificate. `reason` is a CRLReason (RFC 5280 §5.3.1); absent: unspecified. */
export type OcspStatus =
  | { readonly status: 'good' | 'unknown' }
  | { readonly status: 'revoked'; readonly at: Date; readonly reason?: number };

/** The answer about one certificate. */
export interface OcspSingle {
  /** The CertID, DER. */
  readonly certId: Uint8Array;
  readonly says: OcspStatus;
  readonly thisUpdate: Date;
  /** Absent: none. */
  readonly nextUpdate?: Date;
  /** Encoded Extensions. */
  readonly extensions?: Uint8Array;
}

/** The signer: certificate in DER, and key. */
export interface OcspSigner {
  readonly der: Uint8Array;
  readonly key: KeyObject;
}

const octets = (bytes: Uint8Array): Uint8Array => derElement(TAG.octetString, bytes);
const generalized = (date: Date): Uint8Array => derTime(date, 'generalized');

/** A CRLReason in DER. */
export const derReason = (reason: number): Uint8Array => derElement(TAG.enumerated, Buffer.of(reason));

/** Encodes the CertID of OCSP (RFC 6960 §4.1.1). */
export function encodeCertId(options: {
  /** DER of the issuer's name, as the certificate has it. */
  readonly issuerName: Uint8Array;
  readonly issuerKey: Uint8Array;
  /** The whole INTEGER. */
  readonly serial: Uint8Array;
  readonly hash: 'sha1' | 'sha256';
}): Uint8Array {
  const digest = (bytes: Uint8Array): Uint8Array => octets(hash(options.hash, bytes, 'buffer'));
  return derSequence([
    derSequence([derOid(OID[options.hash]), derElement(TAG.null, Buffer.of())]),
    digest(options.issuerName),
    digest(options.issuerKey),
    options.serial,
  ]);
}

function encodeStatus(says: OcspStatus): Uint8Array {
  if (says.status !== 'revoked') return derElement(says.status === 'good' ? 0x80 : 0x82, Buffer.of());
  const reason = says.reason === undefined ? [] : [derElement(0xa0, derReason(says.reason))];
  return derElement(0xa1, Buffer.concat([generalized(says.at), ...reason]));
}

function encodeSingle({ certId, says, thisUpdate, nextUpdate, extensions }: OcspSingle): Uint8Array {
  return derSequence([
    certId,
    encodeStatus(says),
    generalized(thisUpdate),
    ...(nextUpdate ? [derElement(0xa0, generalized(nextUpdate))] : []),
    ...(extensions ? [derElement(0xa1, extensions)] : []),
  ]);
}

/** A signed OCSP response, DER. */
export function writeOcspResponse(options: {
  readonly signer: OcspSigner;
  readonly producedAt: Date;
  readonly responses: readonly OcspSingle[];
  /** Certificates to send with the response. */
  readonly certificates?: readonly Uint8Array[];
  /** The form of the responder's id; absent: its name. */
  readonly responder?: 'name' | 'key';
  /** Absent: the one that fits the key. */
  readonly algorithm?: SignatureAlgorithm;
}): Buffer {
  const { signer, producedAt, responses, certificates, responder = 'name' } = options;
  const { subject, key } = certificateParts(signer.der);
  const tbs = derSequence([
    responder === 'key' ? derElement(0xa2, octets(hash('sha1', key, 'buffer'))) : derElement(0xa1, subject),
    generalized(producedAt),
    derSequence(responses.map(encodeSingle)),
  ]);
  const basic = signed({
    tbs,
    key: signer.key,
    algorithm: options.algorithm ?? signatureAlgorithmOf(signer.key),
    following: certificates ? [derElement(0xa0, derSequence(certificates))] : [],
  });
  return derSequence([
    derElement(TAG.enumerated, Buffer.of(0)),
    derElement(0xa0, derSequence([derOid(OID.ocspBasic), octets(basic)])),
  ]);
}

const REFUSALS = { malformedRequest: 1, internalError: 2, unauthorized: 6 } as const;

/** An unsigned OCSP error response (RFC 6960 §4.2.1). */
export function writeOcspRefusal(why: keyof typeof REFUSALS): Buffer {
  return derSequence([derElement(TAG.enumerated, Buffer.of(REFUSALS[why]))]);
}
