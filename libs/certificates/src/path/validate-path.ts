import { type Check, failed, passed } from '../check-table.ts';
import type { RevocationList } from '../revocation/crl.ts';
import { verifySignature } from '../x509/algorithms.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import { checkCertificate, checkValidity, type Place } from './certificate-rules.ts';
import { CertificateStore } from './certificate-store.ts';
import { checkWholePath } from './path-rules.ts';

/** Limits of the work for one verdict, for any input. */
export const PATH_LIMITS = {
  /** Certificates presented beside the leaf. */
  intermediates: 128,
  /** Octets of all certificates presented. */
  bytes: 1_000_000,
  /** Signature verifications. */
  signatures: 128,
  /** Issuer candidates examined. */
  steps: 1024,
  /** Paths that reach an anchor and are then checked against its constraints, policies and CRLs. */
  paths: 16,
  /** Self-issued intermediates in one path; they do not count as depth. */
  selfIssued: 8,
} as const;

/** Intermediate CAs, self-issued ones aside, that a path may have unless configured. */
export const DEFAULT_MAX_DEPTH = 8;

export interface PathOptions {
  readonly leaf: Certificate;
  /** Untrusted certificates to build with, in any order. */
  readonly intermediates: readonly Certificate[];
  /** Further known certificates, in any number. */
  readonly known?: CertificateStore;
  /** Roots or issuing CAs that are trusted as they are. */
  readonly anchors: CertificateStore;
  readonly at: Date;
  /** Seconds by which `at` may precede `notBefore`; default 0. Nothing is tolerated after `notAfter` (§7). */
  readonly clockToleranceSeconds?: number;
  readonly maxDepth?: number;
  /** Extended key usages that the leaf must allow, when it has the extension; one of them is enough. */
  readonly purposes?: readonly string[];
  readonly revocationLists?: readonly RevocationList[];
}

export interface PathResult {
  readonly accepted: boolean;
  /** Leaf … anchor; without an anchor when there is no path to one. */
  readonly path: readonly Certificate[];
  readonly checks: readonly Check[];
}

interface Attempt {
  readonly path: readonly Certificate[];
  readonly checks: readonly Check[];
  /** Progress of the attempt. The failure with the most progress is reported. */
  readonly rank: number;
}

const RANK_OF = { noIssuer: 0, otherKey: 1, issuerRefused: 100, pathRefused: 1000, limit: 10_000 } as const;

const hasFailed = (checks: readonly Check[]) => checks.some(({ result }) => result === 'failed');

class PathSearch {
  readonly #options: PathOptions;
  readonly #maxDepth: number;
  readonly #untrusted: CertificateStore;
  readonly #signatures = new Map<string, boolean>();
  #steps = 0;
  #paths = 0;
  #best: Attempt;

  constructor(options: PathOptions) {
    this.#options = options;
    this.#maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
    this.#untrusted = new CertificateStore(options.intermediates);
    const evidence = `no path leads from ${shortName(options.leaf.subject)} to a trust anchor`;
    this.#best = { path: [options.leaf], checks: [failed('issuer', evidence)], rank: -1 };
  }

  run(): PathResult {
    const { leaf, intermediates } = this.#options;
    const own = [...checkCertificate(leaf, 'leaf'), this.#checkValidity(leaf, 'leaf')];
    if (hasFailed(own)) return { accepted: false, path: [leaf], checks: own };
    if (intermediates.length > PATH_LIMITS.intermediates) {
      const evidence = `${intermediates.length} certificates beside the leaf, more than ${PATH_LIMITS.intermediates}`;
      return { accepted: false, path: [leaf], checks: [...own, failed('work-limit', evidence)] };
    }
    const found = this.#extend([leaf], []);
    const { path, checks } = found ?? this.#best;
    return { accepted: found !== undefined, path, checks: [...own, ...checks] };
  }

  /** Depth first from the leaf upwards; `checks` are those of the issuers taken so far. */
  #extend(path: readonly Certificate[], checks: readonly Check[]): Attempt | undefined {
    const current = path.at(-1)!;
    const candidates = [
      ...this.#options.anchors.issuersOf(current).map((issuer) => ({ issuer, place: 'anchor' as const })),
      ...this.#untrustedIssuersOf(current).map((issuer) => ({ issuer, place: 'intermediate' as const })),
    ];
    if (candidates.length === 0) {
      const [issuer, own] = [shortName(current.issuer), shortName(current.subject)];
      const evidence = isSelfIssued(current)
        ? `${own} is signed by itself, and not trusted`
        : `no certificate of ${issuer}, which issued ${own}, is trusted or presented`;
      this.#note({
        path,
        checks: [...checks, failed('issuer', evidence)],
        rank: RANK_OF.noIssuer + path.length,
      });
    }
    for (const { issuer, place } of candidates) {
      if (this.#best.rank >= RANK_OF.limit) return undefined;
      if (place === 'intermediate' && path.some((taken) => isSameCa(taken, issuer))) continue;
      const next = [...path, issuer];
      const link = this.#checkLink(current, issuer, place);
      const made = [...checks, ...link.checks];
      if (link.rank !== undefined) this.#note({ path: next, checks: made, rank: link.rank + path.length });
      else if (place === 'anchor') {
        const attempt = this.#complete(next, made);
        if (!hasFailed(attempt.checks)) return attempt;
        this.#note(attempt);
      } else {
        const found = this.#goDeeper(next, made);
        if (found) return found;
      }
    }
    return undefined;
  }

  /** Returns the presented issuers first, and each issuer once. */
  #untrustedIssuersOf(current: Certificate): readonly Certificate[] {
    const presented = this.#untrusted.issuersOf(current);
    const known = this.#options.known?.issuersOf(current) ?? [];
    return [...presented, ...known.filter(({ sha256 }) => !presented.some((one) => one.sha256 === sha256))];
  }

  #complete(path: readonly Certificate[], checks: readonly Check[]): Attempt {
    this.#paths += 1;
    if (this.#paths > PATH_LIMITS.paths)
      return { path, checks: [...checks, failed('work-limit', 'too many paths')], rank: RANK_OF.limit };
    const whole = checkWholePath({ ...this.#options, maxDepth: this.#maxDepth, path });
    return { path, checks: [...checks, ...whole], rank: RANK_OF.pathRefused };
  }

  #goDeeper(path: readonly Certificate[], checks: readonly Check[]): Attempt | undefined {
    const selfIssued = path.slice(1).filter(isSelfIssued).length;
    const depth = path.length - 1 - selfIssued;
    if (depth <= this.#maxDepth && selfIssued <= PATH_LIMITS.selfIssued) return this.#extend(path, checks);
    const evidence = `more than ${this.#maxDepth} intermediate CAs`;
    this.#note({ path, checks: [...checks, failed('path-depth', evidence)], rank: RANK_OF.issuerRefused });
    return undefined;
  }

  #note(attempt: Attempt): void {
    if (attempt.rank > this.#best.rank) this.#best = attempt;
  }

  /** A rank means that the link is refused. The signature comes last: it is the expensive check. */
  #checkLink(
    subject: Certificate,
    issuer: Certificate,
    place: Place,
  ): { readonly checks: readonly Check[]; readonly rank?: number } {
    this.#steps += 1;
    if (this.#steps > PATH_LIMITS.steps)
      return { checks: [failed('work-limit', 'too many issuer candidates')], rank: RANK_OF.limit };
    const wanted = subject.values.authorityKeyId?.keyId;
    const own = issuer.values.subjectKeyId;
    const label = `${shortName(subject.subject)} by ${place} ${shortName(issuer.subject)}`;
    if (wanted !== undefined && own !== undefined && wanted !== own)
      return {
        checks: [failed('issuer', `${label}: the issuer's key is ${wanted}, this one is ${own}`)],
        rank: RANK_OF.otherKey,
      };
    if (place === 'intermediate' && isRoot(issuer))
      return {
        checks: [failed('issuer', `the chain ends with ${shortName(issuer.subject)}, which is not trusted`)],
        rank: RANK_OF.issuerRefused,
      };
    const rules = [...checkCertificate(issuer, place), this.#checkValidity(issuer, place)];
    if (hasFailed(rules)) return { checks: rules, rank: RANK_OF.issuerRefused };
    const verified = this.#verify(subject, issuer);
    if (verified === undefined)
      return { checks: [failed('work-limit', 'too many signatures to verify')], rank: RANK_OF.limit };
    if (!verified)
      return {
        checks: [...rules, failed('signature', `${label}: does not verify`)],
        rank: wanted === undefined ? RANK_OF.otherKey : RANK_OF.issuerRefused,
      };
    const { name } = subject.signatureAlgorithm.value!;
    return { checks: [...rules, passed('signature', `${label}: ${name}`)] };
  }

  #checkValidity(certificate: Certificate, place: Place): Check {
    const { at, clockToleranceSeconds } = this.#options;
    return checkValidity(certificate, place, at, clockToleranceSeconds);
  }

  #verify(subject: Certificate, issuer: Certificate): boolean | undefined {
    const pair = `${subject.sha256}:${issuer.sha256}`;
    const known = this.#signatures.get(pair);
    if (known !== undefined) return known;
    if (this.#signatures.size >= PATH_LIMITS.signatures) return undefined;
    const key = issuer.publicKey();
    const algorithm = subject.signatureAlgorithm.value;
    const { tbs: data, signature } = subject;
    const verified = Boolean(key && algorithm && verifySignature({ algorithm, key, data, signature }));
    this.#signatures.set(pair, verified);
    return verified;
  }
}

/** Whether it is self-signed, judged by its names and key identifiers; a self-issued one names another key. */
function isRoot(certificate: Certificate): boolean {
  const { subjectKeyId, authorityKeyId } = certificate.values;
  const named = authorityKeyId?.keyId;
  return isSelfIssued(certificate) && (named === undefined || named === subjectKeyId);
}

/** The same CA twice in one path is a loop, whatever else differs (RFC 5280 §6.1: no certificate appears twice). */
function isSameCa(a: Certificate, b: Certificate): boolean {
  return a.sha256 === b.sha256 || (a.subject.key === b.subject.key && Buffer.compare(a.spki, b.spki) === 0);
}

/**
 * Builds and validates a path from `leaf` to a trust anchor (RFC 5280 §6), trying every candidate within PATH_LIMITS. Anchors must
 * pass the rules for CA certificates, and their own validity and constraints; their signature is not checked. When no path is
 * accepted, the checks are those of the attempt with the most progress.
 */
export function validatePath(options: PathOptions): PathResult {
  return new PathSearch(options).run();
}
