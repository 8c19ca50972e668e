import { contents, DerError, type DerNode, encoded, expectTag, readDer, readOid } from '../der/der-reader.ts';
import { hex } from '../der/hex.ts';
import { TAG } from '../der/tag.ts';
import { type Judged, readSignatureAlgorithm, type SignatureAlgorithm } from '../x509/algorithms.ts';
import { readExtensions } from '../x509/extensions.ts';
import { readName } from '../x509/names.ts';
import { OID } from '../x509/oids.ts';
import { readTime } from '../x509/times.ts';
import type { CertId } from './ocsp-request.ts';

/** The status that a responder reports for one certificate (RFC 6960 §4.2.1); times are milliseconds since 1970. */
export interface SingleResponse {
  readonly certId: CertId;
  readonly status: 'good' | 'revoked' | 'unknown';
  readonly revokedAt: number | undefined;
  readonly thisUpdate: number;
  readonly nextUpdate: number | undefined;
}

/** A basic OCSP response as it was read; nothing of it is verified yet. */
export interface OcspResponse {
  readonly tbs: Uint8Array;
  readonly signatureAlgorithm: Judged<SignatureAlgorithm>;
  readonly signature: Uint8Array;
  /** The claimed signer: `key` of a name (`Name.key`), or hexadecimal SHA-1 of a key. */
  readonly responder: { readonly name: string } | { readonly keyHash: string };
  readonly producedAt: number;
  readonly responses: readonly SingleResponse[];
  /** DER of the certificates sent along. */
  readonly certificates: readonly Uint8Array[];
}

/** OCSPResponseStatus other than successful. */
export type OcspRefusal = 'malformedRequest' | 'internalError' | 'tryLater' | 'sigRequired' | 'unauthorized';

const REFUSALS: Readonly<Record<number, OcspRefusal>> = {
  1: 'malformedRequest',
  2: 'internalError',
  3: 'tryLater',
  5: 'sigRequired',
  6: 'unauthorized',
};

export const OCSP_LIMITS = { maxBytes: 65_536, maxDepth: 24, maxElements: 8192 } as const;

function onlyChild(node: DerNode | undefined, what: string): DerNode {
  if (node?.children.length !== 1) throw new DerError(`${what} is not one element`);
  return node.children[0]!;
}

function readMoment(node: DerNode | undefined, what: string): number {
  return readTime(expectTag(node, TAG.generalizedTime, what)).time;
}

/** Refuses critical extensions. No extension of RFC 6960 §4.4 has to be understood otherwise. */
function refuseCritical(wrapper: DerNode | undefined): void {
  if (!wrapper) return;
  const extensions = readExtensions(expectTag(onlyChild(wrapper, 'extensions'), TAG.sequence, 'extensions'));
  const critical = extensions.find((extension) => extension.critical);
  if (critical) throw new DerError(`critical extension ${critical.id}`);
}

function readCertId(node: DerNode | undefined): CertId {
  const [algorithm, name, key, serial, extra] = expectTag(node, TAG.sequence, 'certID').children;
  if (extra) throw new DerError('certID with unknown fields');
  const octets = (part: DerNode | undefined) => hex(contents(expectTag(part, TAG.octetString, 'hash')));
  return {
    hashAlgorithm: readOid(expectTag(algorithm, TAG.sequence, 'hash algorithm').children[0]),
    issuerNameHash: octets(name),
    issuerKeyHash: octets(key),
    serialNumber: hex(contents(expectTag(serial, TAG.integer, 'serial number'))),
  };
}

function readStatus(node: DerNode | undefined): Pick<SingleResponse, 'status' | 'revokedAt'> {
  if (node?.tag === 0xa1) {
    const [time, reason, extra] = node.children;
    if (extra || (reason && reason.tag !== 0xa0)) throw new DerError('revokedInfo with unknown fields');
    return { status: 'revoked', revokedAt: readMoment(time, 'revocationTime') };
  }
  const status = node?.tag === 0x80 ? 'good' : node?.tag === 0x82 ? 'unknown' : undefined;
  if (!node || !status || contents(node).length > 0) throw new DerError('certStatus of an unknown kind');
  return { status, revokedAt: undefined };
}

function readSingleResponse(node: DerNode): SingleResponse {
  const [certId, status, thisUpdate, ...rest] = expectTag(node, TAG.sequence, 'response').children;
  const nextUpdate = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
  refuseCritical(rest[0]?.tag === 0xa1 ? rest.shift() : undefined);
  if (rest.length > 0) throw new DerError('response with unknown fields');
  return {
    certId: readCertId(certId),
    ...readStatus(status),
    thisUpdate: readMoment(thisUpdate, 'thisUpdate'),
    nextUpdate: nextUpdate && readMoment(onlyChild(nextUpdate, 'nextUpdate'), 'nextUpdate'),
  };
}

function readResponder(node: DerNode | undefined): OcspResponse['responder'] {
  if (node?.tag === 0xa1) return { name: readName(onlyChild(node, 'responder name')).key };
  if (node?.tag !== 0xa2) throw new DerError('responder of an unknown kind');
  return { keyHash: hex(contents(expectTag(onlyChild(node, 'responder key'), TAG.octetString, 'key hash'))) };
}

function readResponseData(tbs: DerNode): Pick<OcspResponse, 'responder' | 'producedAt' | 'responses'> {
  const rest = [...tbs.children];
  // DER leaves version 1 out, and there is no other.
  if (rest[0]?.tag === 0xa0) throw new DerError('OCSP response of an unknown version');
  const [responder, producedAt, responses] = rest.splice(0, 3);
  refuseCritical(rest[0]?.tag === 0xa1 ? rest.shift() : undefined);
  if (rest.length > 0) throw new DerError('responseData with unknown fields');
  return {
    responder: readResponder(responder),
    producedAt: readMoment(producedAt, 'producedAt'),
    responses: expectTag(responses, TAG.sequence, 'responses').children.map(readSingleResponse),
  };
}

function readBasicResponse(der: Uint8Array): OcspResponse {
  const root = expectTag(readDer(der, OCSP_LIMITS), TAG.sequence, 'basic OCSP response');
  const [tbs, algorithm, signatureNode, wrapper, extra] = root.children;
  if (extra || (wrapper && wrapper.tag !== 0xa0)) throw new DerError('OCSP response with unknown fields');
  const data = expectTag(tbs, TAG.sequence, 'responseData');
  const signature = contents(expectTag(signatureNode, TAG.bitString, 'signature'));
  if (signature[0] !== 0) throw new DerError('signature with unused bits');
  const certificates = wrapper && expectTag(onlyChild(wrapper, 'certs'), TAG.sequence, 'certs').children;
  return {
    tbs: encoded(data),
    signatureAlgorithm: readSignatureAlgorithm(expectTag(algorithm, TAG.sequence, 'signatureAlgorithm')),
    signature: signature.subarray(1),
    ...readResponseData(data),
    certificates: (certificates ?? []).map(encoded),
  };
}

/**
 * Reads an OCSP response from DER (RFC 6960 §4.2.1): a basic response, or the responder's refusal.
 * @throws DerError when the bytes are not strict DER, neither of the two, or above the limits
 */
export function readOcspResponse(der: Uint8Array): OcspResponse | OcspRefusal {
  const [statusNode, wrapper, extra] = expectTag(
    readDer(der, OCSP_LIMITS),
    TAG.sequence,
    'OCSP response',
  ).children;
  const [status, more] = contents(expectTag(statusNode, TAG.enumerated, 'responseStatus'));
  if (extra || more !== undefined) throw new DerError('OCSP response with unknown fields');
  if (status !== 0) {
    const refusal = REFUSALS[status!];
    if (!refusal || wrapper) throw new DerError('OCSP response with an unknown status');
    return refusal;
  }
  const [type, response, other] = expectTag(
    onlyChild(expectTag(wrapper, 0xa0, 'responseBytes'), 'responseBytes'),
    TAG.sequence,
    'responseBytes',
  ).children;
  if (other || readOid(type) !== OID.ocspBasic) throw new DerError('OCSP response that is not basic');
  return readBasicResponse(contents(expectTag(response, TAG.octetString, 'response')));
}
