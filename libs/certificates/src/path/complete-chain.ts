import type { Text } from '@kontoport/errors';
import { CHAIN_TEXTS } from '../texts.ts';
import { verifySignature } from '../x509/algorithms.ts';
import type { Certificate } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import type { CertificateStore } from './certificate-store.ts';

/**
 * Finds the fault of an incomplete chain (§4.2, POST /tpp/{clientId}/certificates). A complete one has the leaf first, then each
 * issuer by name and signature, up to and including a trust anchor. Returns undefined for a complete chain. `verdict` checks
 * the certificates themselves.
 */
export function faultOfCompleteChain(
  chain: readonly Certificate[],
  anchors: CertificateStore,
): Text | undefined {
  for (const [i, issuer] of chain.entries()) {
    const subject = chain[i - 1];
    if (!subject) continue;
    const places = { number: i, issuer: i + 1 };
    if (issuer.subject.key !== subject.issuer.key) return CHAIN_TEXTS('chain-order', places);
    const key = issuer.publicKey();
    const algorithm = subject.signatureAlgorithm.value;
    const { tbs: data, signature } = subject;
    if (!key || !algorithm || !verifySignature({ algorithm, key, data, signature }))
      return CHAIN_TEXTS('chain-signature', places);
  }
  const last = chain.at(-1);
  if (!last) return CHAIN_TEXTS('chain-empty');
  const isAnchor = anchors.certificates.some(({ sha256 }) => sha256 === last.sha256);
  if (isAnchor) return undefined;
  const issuer = shortName(last.issuer);
  return CHAIN_TEXTS(last.issuer.key === last.subject.key ? 'chain-root' : 'chain-anchor', { issuer });
}
