import { type Check, failed, passed } from '../check-table.ts';
import { checkRevocation, type RevocationList } from '../revocation/crl.ts';
import { type Certificate, isSelfIssued } from '../x509/certificate.ts';
import type { GeneralName } from '../x509/general-names.ts';
import { attributeValues, shortName } from '../x509/names.ts';
import { OID } from '../x509/oids.ts';
import { constraintWork, violationOf } from './name-constraints.ts';
import { hasValidPolicy } from './policies.ts';

/** Comparisons of names with constraints for one path. */
const MAX_COMPARISONS = 250_000;

export interface WholePath {
  /** Leaf … anchor, every link verified. */
  readonly path: readonly Certificate[];
  readonly at: Date;
  readonly maxDepth: number;
  readonly purposes?: readonly string[];
  readonly revocationLists?: readonly RevocationList[];
}

function checkDepth({ path, maxDepth }: WholePath): Check {
  const depth = path.slice(1, -1).filter((certificate) => !isSelfIssued(certificate)).length;
  const evidence = `${depth} intermediate CAs, ${maxDepth} allowed`;
  return depth > maxDepth ? failed('path-depth', evidence) : passed('path-depth', evidence);
}

/** RFC 5280 §6.1.4 (l), (m); the anchor's own constraint counts (RFC 5937). */
function checkPathLength({ path }: WholePath): Check {
  let allowed = Infinity;
  for (const certificate of path.slice(1).toReversed()) {
    const isAnchor = certificate === path.at(-1);
    if (!isAnchor && !isSelfIssued(certificate)) {
      if (allowed === 0)
        return failed(
          'path-length',
          `${shortName(certificate.subject)} is one CA more than allowed above it`,
        );
      allowed -= 1;
    }
    allowed = Math.min(allowed, certificate.values.basicConstraints?.pathLength ?? Infinity);
  }
  return passed('path-length', allowed === Infinity ? 'unlimited' : `${allowed} more CAs allowed`);
}

/** Every name to which constraints apply (RFC 5280 §4.2.1.10). */
function constrainedNames({ subject, values }: Certificate): readonly GeneralName[] {
  const name = (kind: 'directoryName' | 'rfc822Name', text: string): GeneralName => ({
    kind,
    text,
    octets: new Uint8Array(),
    name: kind === 'directoryName' ? subject : undefined,
  });
  const altNames = values.subjectAltName ?? [];
  const hasMail = altNames.some(({ kind }) => kind === 'rfc822Name');
  return [
    ...(subject.rdns.length > 0 ? [name('directoryName', '')] : []),
    ...(hasMail ? [] : attributeValues(subject, OID.emailAddress).map((mail) => name('rfc822Name', mail))),
    ...altNames,
  ];
}

function checkNameConstraints({ path }: WholePath): Check {
  let work = 0;
  for (const [i, ca] of path.entries()) {
    const constraints = ca.values.nameConstraints;
    if (i === 0 || !constraints) continue;
    for (const [j, certificate] of path.slice(0, i).entries()) {
      if (j > 0 && isSelfIssued(certificate)) continue;
      const names = constrainedNames(certificate);
      work += constraintWork(constraints, names);
      if (work > MAX_COMPARISONS)
        return failed('work-limit', `more than ${MAX_COMPARISONS} comparisons of names with constraints`);
      const violation = violationOf(constraints, names);
      if (violation)
        return failed(
          'name-constraints',
          `${shortName(certificate.subject)} under ${shortName(ca.subject)}: ${violation}`,
        );
    }
  }
  return passed('name-constraints', work === 0 ? 'no constraints' : 'all names permitted');
}

function checkPolicies({ path }: WholePath): Check {
  return hasValidPolicy(path.toReversed())
    ? passed('policies', (path[0]!.values.policies ?? []).join(', ') || 'none demanded')
    : failed('policies', 'a CA demands an explicit policy and none is valid along the path');
}

/** A CA whose extended key usages exclude clients cannot issue QWACs. The anchor is exempt. */
function restrictedCa(path: readonly Certificate[], purposes: readonly string[]): Certificate | undefined {
  const allowed: readonly string[] = [...purposes, OID.anyExtendedKeyUsage];
  return path.slice(1, -1).find(({ values }) => {
    const own = values.extendedKeyUsage;
    return own && !allowed.some((purpose) => own.includes(purpose));
  });
}

function checkPurpose({ path, purposes }: WholePath): Check {
  const restricted = restrictedCa(path, purposes ?? [OID.serverAuth, OID.clientAuth]);
  if (restricted)
    return failed(
      'extended-key-usage',
      `${shortName(restricted.subject)} is a CA for other purposes: ${restricted.values.extendedKeyUsage!.join(', ')}`,
    );
  const own = path[0]!.values.extendedKeyUsage;
  const evidence = own?.join(', ') ?? 'not restricted';
  if (!own || !purposes) return passed('extended-key-usage', evidence);
  const allowed = purposes.some((purpose) => own.includes(purpose));
  return allowed
    ? passed('extended-key-usage', evidence)
    : failed('extended-key-usage', `${evidence}: none of ${purposes.join(', ')}`);
}

/** The rules for a whole path: the cheap ones first, and none after the first failure. */
export function checkWholePath(whole: WholePath): readonly Check[] {
  const checks: Check[] = [];
  for (const rule of [
    checkDepth,
    checkPathLength,
    checkNameConstraints,
    checkPolicies,
    checkPurpose,
    checkRevocation,
  ]) {
    const made = [rule(whole)].flat();
    checks.push(...made);
    if (made.some(({ result }) => result === 'failed')) break;
  }
  return checks;
}
