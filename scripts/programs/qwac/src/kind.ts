import { type Certificate, type Check, type CheckId, OID, type QwacResult } from '@kontoport/certificates';

/** The kind of a certificate, and one sentence of advice where the checks do not apply to it. */
export interface Kind {
  words: string;
  advice?: string;
}

const CA: Kind = {
  words: 'the certificate of a certification authority',
  advice:
    'It is no QWAC itself. To judge what it has issued, use it as a trust anchor: verify --anchors FILE.',
};
const ASK =
  'No role can be read from it, so it opens nothing here: ask a qualified trust service provider for a QWAC for PSD2.';

const isPassed = (checks: readonly Check[], id: CheckId) =>
  checks.some(({ check, result }) => check === id && result === 'passed');

/** Returns the kind of a certificate. */
export function kindOf(certificate: Certificate, { checks, psd2 }: QwacResult): Kind {
  const { basicConstraints, extendedKeyUsage } = certificate.values;
  const has = (id: string) => certificate.extensions.some((extension) => extension.id === id);
  if (certificate.unknownCriticalExtensions.includes(OID.precertificatePoison))
    return {
      words: 'a precertificate, made for the logs of Certificate Transparency, not the certificate itself',
    };
  if (basicConstraints?.ca) return CA;
  const forPsd2 = psd2 ? ' for PSD2' : '';
  if (isPassed(checks, 'qc-type') && isPassed(checks, 'qc-compliance'))
    return { words: `a qualified website authentication certificate (QWAC)${forPsd2}` };
  const evidence = checks.find(({ check }) => check === 'qc-type')?.evidence ?? '';
  if (evidence.includes(','))
    return { words: `a certificate of several kinds at once (seal, signature, website)${forPsd2}` };
  if (evidence.includes(OID.qcTypeEseal))
    return { words: `a certificate for electronic seals (QSealC)${forPsd2}` };
  if (evidence.includes(OID.qcTypeEsign))
    return { words: `a certificate for electronic signatures${forPsd2}` };
  if (has(OID.qcStatements))
    return { words: `a certificate with statements about its quality, but no QWAC${forPsd2}` };
  return extendedKeyUsage?.includes(OID.serverAuth)
    ? { words: 'an ordinary TLS certificate', advice: ASK }
    : { words: 'an ordinary certificate', advice: ASK };
}
