import { type Asked, type Finding } from './finding.ts';
import { judgeOcspResponse } from './judge-ocsp-response.ts';
import { Lookups } from './lookups.ts';
import { encodeOcspRequest } from './ocsp-request.ts';
import { OCSP_LIMITS, readOcspResponse } from './ocsp-response.ts';
import { readAnswer, type RevocationFetch } from './revocation-fetch.ts';

const KEPT_ANSWERS = 10_000;
const TIME_LIMIT_MS = 5_000;
const HEADERS = { 'content-type': 'application/ocsp-request', accept: 'application/ocsp-response' };

/** Asks OCSP responders (RFC 6960 appendix A.1, POST); answers are kept by their own validity. */
export function createOcspAsker(fetch: RevocationFetch): (asked: Asked) => Promise<Finding> {
  const answers = new Lookups<Finding>(KEPT_ANSWERS);

  const load = async ({ url, certificate, issuer, at }: Asked): Promise<Finding> => {
    const body = encodeOcspRequest(certificate, issuer);
    const maxBytes = OCSP_LIMITS.maxBytes;
    const answer = await fetch({
      url,
      method: 'POST',
      headers: HEADERS,
      body,
      maxBytes,
      timeLimit: TIME_LIMIT_MS,
    });
    return readAnswer(answer, at, (bytes) =>
      judgeOcspResponse({ response: readOcspResponse(bytes), certificate, issuer, at }),
    );
  };

  return async (asked) => {
    const key = `${asked.url} ${asked.certificate.sha256} ${asked.issuer.sha256}`;
    const { value, until } = await answers.find(key, asked.at.getTime(), async () => {
      const finding = await load(asked);
      const isFailure = finding.status === 'undecided';
      if (isFailure) asked.onFault(finding.evidence);
      return { value: finding, until: finding.until, isFailure, weight: 1 };
    });
    return { ...value, until };
  };
}
