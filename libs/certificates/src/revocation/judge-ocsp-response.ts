import { checkCertificate, checkValidity } from '../path/certificate-rules.ts';
import { verifySignature } from '../x509/algorithms.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';
import { OID } from '../x509/oids.ts';
import { CLOCK_SKEW_MILLISECONDS, decided, type Finding, RETRY_MILLISECONDS, undecided } from './finding.ts';
import { certIdOf, keyHash } from './ocsp-request.ts';
import type { OcspRefusal, OcspResponse, SingleResponse } from './ocsp-response.ts';

/** Certificates in a response that are read at most. */
const MAX_DELEGATES = 4;

/** Maximum age of an answer without nextUpdate, which claims to be produced for the request. */
const FRESH_MS = 300_000;

const iso = (time: number) => new Date(time).toISOString();

function isAbout(single: SingleResponse, certificate: Certificate, issuer: Certificate): boolean {
  const { certId } = single;
  const wanted = certIdOf(certificate, issuer, certId.hashAlgorithm);
  return (
    wanted !== undefined &&
    wanted.serialNumber === certId.serialNumber &&
    wanted.issuerNameHash === certId.issuerNameHash &&
    wanted.issuerKeyHash === certId.issuerKeyHash
  );
}

function isNamed(responder: OcspResponse['responder'], certificate: Certificate): boolean {
  return 'name' in responder
    ? responder.name === certificate.subject.key
    : responder.keyHash === keyHash(certificate);
}

function isSignedBy(response: OcspResponse, signer: Certificate): boolean {
  const { signatureAlgorithm, tbs: data, signature } = response;
  const key = signer.publicKey();
  const algorithm = signatureAlgorithm.value;
  return Boolean(key && algorithm && verifySignature({ algorithm, key, data, signature }));
}

/** A delegate is one certificate below the issuer, made for this purpose alone (RFC 6960 §4.2.2.2). */
function faultOfDelegate(delegate: Certificate, issuer: Certificate, at: Date): string | undefined {
  const { extendedKeyUsage, keyUsage } = delegate.values;
  if (delegate.issuer.key !== issuer.subject.key) return 'its signer was not issued by the issuer itself';
  if (!extendedKeyUsage?.includes(OID.ocspSigning))
    return 'its signer may not sign OCSP (no id-kp-OCSPSigning)';
  if (keyUsage && !keyUsage.has('digitalSignature')) return 'its signer may not sign (no digitalSignature)';
  if (!delegate.extensions.some(({ id }) => id === OID.ocspNoCheck))
    return 'its signer could be revoked itself (no id-pkix-ocsp-nocheck)';
  const checks = [...checkCertificate(delegate, 'responder'), checkValidity(delegate, 'responder', at)];
  const failure = checks.find(({ result }) => result === 'failed');
  if (failure) return `its signer is refused: ${failure.check}, ${failure.evidence}`;
  const key = issuer.publicKey();
  const algorithm = delegate.signatureAlgorithm.value!;
  const { tbs: data, signature } = delegate;
  const verified = key && verifySignature({ algorithm, key, data, signature });
  return verified ? undefined : 'its signer was not issued by the issuer itself';
}

/**
 * Returns the signer if it is authorized: the issuer or a delegate of it.
 * @throws DerError for a delegate that cannot be read
 */
function findSigner(
  response: OcspResponse,
  issuer: Certificate,
  at: Date,
): { readonly signer: Certificate } | { readonly fault: string } {
  const algorithmFault = response.signatureAlgorithm.fault;
  if (algorithmFault) return { fault: algorithmFault };
  if (isNamed(response.responder, issuer) && isSignedBy(response, issuer)) return { signer: issuer };
  const sent = response.certificates.slice(0, MAX_DELEGATES).map(readCertificate);
  const delegate = sent.find((candidate) => isNamed(response.responder, candidate));
  if (!delegate) return { fault: 'it is not signed by the issuer, nor by a delegate that it carries' };
  const fault = faultOfDelegate(delegate, issuer, at);
  if (fault) return { fault };
  return isSignedBy(response, delegate) ? { signer: delegate } : { fault: 'its signature does not verify' };
}

function faultOfTimes(response: OcspResponse, single: SingleResponse, at: number): string | undefined {
  const { thisUpdate, nextUpdate } = single;
  const { producedAt } = response;
  const latest = at + CLOCK_SKEW_MILLISECONDS;
  if (thisUpdate > latest) return `it is not valid before ${iso(thisUpdate)}`;
  if (producedAt > latest) return `it was produced later than now, at ${iso(producedAt)}`;
  if (nextUpdate === undefined)
    return at < producedAt + FRESH_MS
      ? undefined
      : `it has no nextUpdate and was produced at ${iso(producedAt)}`;
  if (nextUpdate < thisUpdate) return 'its nextUpdate lies before its thisUpdate';
  return at < nextUpdate ? undefined : `it expired at ${iso(nextUpdate)}`;
}

/**
 * Returns the status of a certificate in an OCSP response at a time (RFC 6960 §3.2): undecided unless exactly one answer is about
 * this certificate of this issuer, is current, and has an authorized signer. `issuer` is proven to have issued the certificate.
 * @throws DerError when a certificate in it cannot be read
 */
export function judgeOcspResponse(question: {
  readonly response: OcspResponse | OcspRefusal;
  readonly certificate: Certificate;
  readonly issuer: Certificate;
  readonly at: Date;
}): Finding {
  const { response, certificate, issuer } = question;
  const at = question.at.getTime();
  if (typeof response === 'string')
    return undecided(`answers ${response}`, at, response === 'tryLater' || response === 'internalError');
  const unusable = (fault: string) => undecided(`gives an answer that cannot be used: ${fault}`, at);
  const about = response.responses.filter((single) => isAbout(single, certificate, issuer));
  const [single] = about;
  if (!single) return unusable('it is not about this certificate');
  if (about.length > 1) return unusable('it is about this certificate more than once');
  const fault = faultOfTimes(response, single, at);
  if (fault) return unusable(fault);
  const found = findSigner(response, issuer, question.at);
  if ('fault' in found) return unusable(found.fault);
  if (single.status === 'unknown') return undecided('does not know the certificate', at);
  const ends = Math.min(single.nextUpdate ?? at + RETRY_MILLISECONDS, found.signer.notAfter);
  const evidence =
    single.status === 'good'
      ? `says good, as of ${iso(single.thisUpdate)}`
      : `says revoked at ${iso(single.revokedAt!)}`;
  return decided(single.status, evidence, { at, ends });
}
