import { type Text, toReadable } from '@kontoport/errors';
import { type Check, type CheckEntry, CHECKS, cureOf, failed, passed } from './check-table.ts';
import { DerError } from './der/der-reader.ts';
import type { CertificateStore } from './path/certificate-store.ts';
import { PATH_LIMITS, validatePath } from './path/validate-path.ts';
import { checkQwac, type Role } from './qwac/qwac-rules.ts';
import type { RevocationList } from './revocation/crl.ts';
import { VERDICT_TEXTS } from './texts.ts';
import { type CertificateDetails, certificateDetails } from './x509/certificate-details.ts';
import { type Certificate, readCertificate } from './x509/certificate.ts';
import { attributeValues } from './x509/names.ts';
import { OID } from './x509/oids.ts';

/** `psd2`: path and leaf rules; `path`: RFC 5280 alone; `leaf`: the QWAC rules alone, without issuers or time. */
export type VerdictProfile = 'psd2' | 'path' | 'leaf';

export interface VerdictFailure {
  /** UNAVAILABLE: no fault of the certificate is known, and hard-fail needs its revocation status. */
  readonly errorCode: 'CERTIFICATE_INVALID' | NonNullable<CheckEntry['errorCode']>;
  /** For a TPP: the first check that failed, its finding, and the advice. */
  readonly text: Text;
  /** `text` in English. */
  readonly message: string;
}

/** The result for a presented certificate: accepted or not, and why. */
export interface Verdict {
  readonly accepted: boolean;
  /** In the order in which they were made. */
  readonly checks: readonly Check[];
  readonly failure?: VerdictFailure;
  readonly warnings: readonly Check[];
  /** Roles granted; empty unless accepted, and for the profile `path`. */
  readonly roles: readonly Role[];
  readonly organization: { readonly identifier: string; readonly name: string };
  /** Consent display name (§2.1): the organization, else the common name. */
  readonly displayName: string;
  /** Base64url SHA-256 of the leaf's DER (RFC 8705 §3.1). */
  readonly thumbprint: string;
  /** End of the leaf, milliseconds since 1970; 0 of one that could not be read. */
  readonly notAfter: number;
  /** Leaf … anchor, as far as it could be built. */
  readonly path: readonly CertificateDetails[];
  /** DER of the certificates of `path`, in the same order. */
  readonly pathDer: readonly Uint8Array[];
}

export interface VerdictOptions {
  readonly profile?: VerdictProfile;
  readonly anchors: CertificateStore;
  readonly at: Date;
  /** Seconds by which `at` may precede `notBefore`; default 0. Nothing is tolerated after `notAfter` (§7). */
  readonly clockToleranceSeconds?: number;
  /** Intermediate CAs allowed in the path. */
  readonly maxDepth?: number;
  /** Untrusted certificates known beside those presented; their number does not count. */
  readonly known?: CertificateStore;
  /** Extended key usages of which the leaf must allow one, when it has the extension. */
  readonly purposes?: readonly string[];
  readonly crls?: readonly RevocationList[];
}

function explainFailure(check: Check): VerdictFailure {
  const entry: CheckEntry = CHECKS[check.check];
  const { evidence: finding, clause } = check;
  const text = VERDICT_TEXTS('failed', { check: check.check, finding, cure: cureOf(check.check), clause });
  return { errorCode: entry.errorCode ?? 'CERTIFICATE_INVALID', text, message: text.in('en') };
}

/** One check for each certificate presented that could not be read; a DerError only, everything else is a defect. */
function readAll(chain: readonly Uint8Array[]): {
  certificates: readonly Certificate[];
  checks: readonly Check[];
} {
  const certificates: Certificate[] = [];
  const checks: Check[] = [];
  for (const [i, der] of chain.entries())
    try {
      certificates.push(readCertificate(der));
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
      checks.push(failed('encoding', `certificate ${i + 1} of ${chain.length}: ${error.message}`));
      if (i === 0) break;
    }
  return { certificates, checks };
}

/** The attributes of a subject that can be a display name, the first one first (§2.1). */
const DISPLAY_NAMES = [OID.organizationName, OID.commonName, OID.organizationIdentifier];

function unreadable(checks: readonly Check[]): Verdict {
  return {
    accepted: false,
    checks,
    failure: explainFailure(checks[0]!),
    warnings: [],
    roles: [],
    organization: { identifier: '', name: '' },
    displayName: '',
    thumbprint: '',
    notAfter: 0,
    path: [],
    pathDer: [],
  };
}

function judge(leaf: Certificate, presented: readonly Certificate[], options: VerdictOptions) {
  const profile = options.profile ?? 'psd2';
  const path =
    profile === 'leaf'
      ? undefined
      : validatePath({
          ...options,
          leaf,
          intermediates: presented,
          ...(options.crls ? { revocationLists: options.crls } : {}),
        });
  const qwac = profile === 'path' ? undefined : checkQwac(leaf);
  return {
    accepted: path?.accepted ?? true,
    path: path?.path ?? [leaf],
    checks: [...(path?.checks ?? []), ...(qwac?.checks ?? [])],
    roles: qwac?.roles ?? [],
  };
}

/**
 * Judges a presented chain: DER, leaf first, the others in any order. Pure: time and trusted certificates are arguments. No
 * presented chain makes it throw.
 */
export function verdict(chain: readonly Uint8Array[], options: VerdictOptions): Verdict {
  if (chain.length === 0) return unreadable([failed('encoding', 'no certificate')]);
  if (chain.length > PATH_LIMITS.intermediates + 1)
    return unreadable([failed('work-limit', `${chain.length} certificates presented`)]);
  const bytes = chain.reduce((sum, { length }) => sum + length, 0);
  if (bytes > PATH_LIMITS.bytes) return unreadable([failed('work-limit', `${bytes} bytes presented`)]);
  const read = readAll(chain);
  const [leaf, ...presented] = read.certificates;
  if (!leaf || read.checks.length > 0) return unreadable(read.checks);
  const encoding = passed(
    'encoding',
    `${leaf.der.length} bytes, ${presented.length} more certificates beside it`,
  );
  const judged = judge(leaf, presented, options);
  const checks = [encoding, ...judged.checks];
  const failure = checks.find(({ result }) => result === 'failed');
  const first = (type: string) => attributeValues(leaf.subject, type)[0]?.trim() ?? '';
  return {
    accepted: judged.accepted && !failure,
    checks,
    ...(failure ? { failure: explainFailure(failure) } : {}),
    warnings: checks.filter(({ result }) => result === 'warning'),
    roles: failure || !judged.accepted ? [] : judged.roles,
    organization: { identifier: first(OID.organizationIdentifier), name: first(OID.organizationName) },
    displayName: DISPLAY_NAMES.map((type) => toReadable(first(type))).find(Boolean) ?? '',
    thumbprint: Buffer.from(leaf.sha256, 'hex').toString('base64url'),
    notAfter: leaf.notAfter,
    path: judged.path.map(certificateDetails),
    pathDer: judged.path.map(({ der }) => der),
  };
}

/** Adds checks to an accepted verdict. A failed one refuses the certificate. */
export function withChecks(accepted: Verdict, further: readonly Check[]): Verdict {
  const checks = [...accepted.checks, ...further];
  const warnings = checks.filter(({ result }) => result === 'warning');
  const failure = further.find(({ result }) => result === 'failed');
  return failure
    ? { ...accepted, accepted: false, checks, warnings, failure: explainFailure(failure), roles: [] }
    : { ...accepted, checks, warnings };
}
