import type { LimboCase } from './corpora.ts';

const serverName = 'Matching a server name: a client certificate is not matched against a host name.';
const baseline = 'A rule of the CA/Browser Forum for TLS servers that RFC 5280 does not have: ';

/** Cases of x509-limbo that the path rules do not decide, each with the reason. */
export const outOfScope: Readonly<Record<string, string>> = {
  'rfc5280::ca-as-leaf-wrong-san': serverName,
  'webpki::aki::root-with-aki-all-fields': `${baseline}no issuer and serial number in a root's authorityKeyIdentifier (7.1.2.1.3); the RFC allows both together.`,
  'webpki::cn::ipv4-hex-mismatch': `${baseline}form of an address in the common name (7.1.4.3).`,
  'webpki::cn::ipv6-uppercase-mismatch': `${baseline}form of an address in the common name (7.1.4.3).`,
  'webpki::cn::ipv6-uncompressed-mismatch': `${baseline}form of an address in the common name (7.1.4.3).`,
  'webpki::cn::ipv6-non-rfc5952-mismatch': `${baseline}form of an address in the common name (7.1.4.3).`,
  'webpki::cn::punycode-not-in-san': `${baseline}the common name repeats a subjectAltName (7.1.4.3).`,
  'webpki::cn::utf8-vs-punycode-mismatch': `${baseline}the common name repeats a subjectAltName (7.1.4.3).`,
  'webpki::cn::case-mismatch': `${baseline}the common name repeats a subjectAltName (7.1.4.3).`,
  'webpki::eku::ee-anyeku': `${baseline}no anyExtendedKeyUsage in a leaf (7.1.2.7.10).`,
  'webpki::eku::ee-without-eku': `${baseline}extKeyUsage in every leaf; contradicts rfc5280::eku::ee-without-eku.`,
  'webpki::eku::root-has-eku': `${baseline}no extKeyUsage in a root (7.1.2.1.2).`,
  'webpki::san::mismatch-domain-san': serverName,
  'webpki::san::mismatch-subdomain-apex-san': serverName,
  'webpki::san::wildcard-match-across-labels-san': serverName,
  'webpki::san::public-suffix-wildcard-san': `${baseline}no wildcard on a public suffix (3.2.2.6).`,
  'webpki::san::public-suffix-private-namespace-wildcard-san': `${baseline}no wildcard on a public suffix (3.2.2.6).`,
  'webpki::san::san-critical-with-nonempty-subject': `${baseline}subjectAltName not critical beside a subject (7.1.2.7.12); a SHOULD (RFC 5280 §4.2.1.6).`,
};

/** The same reasons for bad cases of the rest of the published suite, where a file with other cases is given. */
const families: readonly { readonly prefix: string; readonly reason: string }[] = [
  { prefix: 'webpki::cn::', reason: `${baseline}the common name (7.1.4.3).` },
  { prefix: 'webpki::san::', reason: serverName },
  { prefix: 'webpki::eku::', reason: `${baseline}extKeyUsage (7.1.2).` },
  { prefix: 'webpki::ca-as-leaf', reason: `${baseline}no CA as leaf; contradicts rfc5280::ca-as-leaf.` },
  { prefix: 'webpki::ee-basicconstraints-ca', reason: `${baseline}no CA as leaf (7.1.2.7.8).` },
  { prefix: 'webpki::aki::', reason: `${baseline}authorityKeyIdentifier (7.1.2).` },
];

/** The reason why the path rules do not decide a case; undefined when it is in scope. */
export function outOfScopeReason(
  { id, expected_result: expected }: LimboCase,
  isForeign: boolean,
): string | undefined {
  const listed = outOfScope[id];
  if (listed !== undefined || !isForeign || expected === 'SUCCESS') return listed;
  return families.find(({ prefix }) => id.startsWith(prefix))?.reason;
}
