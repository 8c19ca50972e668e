import { verifySignature } from '../x509/algorithms.ts';
import type { Certificate } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import type { CertificateStore } from './certificate-store.ts';

/**
 * What is missing for a complete chain (§4.2, POST /tpp/{clientId}/certificates): leaf first, each next one the
 * issuer of the one before by name and signature, up to and including a trust anchor. Undefined when it is complete.
 * The rules for the certificates themselves are `verdict`'s.
 */
export function faultOfCompleteChain(
  chain: readonly Certificate[],
  anchors: CertificateStore,
): string | undefined {
  for (const [i, issuer] of chain.entries()) {
    const subject = chain[i - 1];
    if (!subject) continue;
    const [own, above] = [shortName(subject.subject), shortName(issuer.subject)];
    if (issuer.subject.key !== subject.issuer.key)
      return `Certificate ${i + 1} (${above}) is not the issuer of certificate ${i} (${own}), which is ${shortName(subject.issuer)}.`;
    const key = issuer.publicKey();
    const algorithm = subject.signatureAlgorithm.value;
    const { tbs: data, signature } = subject;
    if (!key || !algorithm || !verifySignature({ algorithm, key, data, signature }))
      return `Certificate ${i} (${own}) is not signed with the key of certificate ${i + 1} (${above}).`;
  }
  const last = chain.at(-1);
  if (!last) return 'There is no certificate.';
  const isAnchor = anchors.certificates.some(({ sha256 }) => sha256 === last.sha256);
  return isAnchor ? undefined : `The chain ends with ${shortName(last.subject)}, which is no trust anchor.`;
}
