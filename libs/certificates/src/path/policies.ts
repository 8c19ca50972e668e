import type { Certificate } from '../x509/certificate.ts';
import { isSelfIssued } from '../x509/certificate.ts';
import { OID } from '../x509/oids.ts';

/** One level of the valid policy tree of RFC 5280 §6.1.2: valid policy → expected policies. */
type Level = Map<string, readonly string[]>;

interface State {
  /** Empty: the tree is NULL. Nodes of one level that share their policy are equal, so a level is enough. */
  level: Level;
  explicitPolicy: number;
  policyMapping: number;
  inhibitAnyPolicy: number;
}

function grow(state: State, certificate: Certificate, isFinal: boolean): Level {
  const { policies } = certificate.values;
  const next: Level = new Map();
  if (!policies || state.level.size === 0) return next;
  const expected = new Set([...state.level.values()].flat());
  for (const policy of policies)
    if (policy !== OID.anyPolicy && (expected.has(policy) || state.level.has(OID.anyPolicy)))
      next.set(policy, [policy]);
  const anyCounts = state.inhibitAnyPolicy > 0 || (!isFinal && isSelfIssued(certificate));
  if (policies.includes(OID.anyPolicy) && anyCounts)
    for (const policy of expected) if (!next.has(policy)) next.set(policy, [policy]);
  return next;
}

function applyMappings(state: State, certificate: Certificate): void {
  const bySource = Map.groupBy(certificate.values.policyMappings ?? [], (mapping) => mapping.issuerDomain);
  for (const [source, mappings] of bySource) {
    if (state.policyMapping === 0) state.level.delete(source);
    else if (state.level.has(source) || state.level.has(OID.anyPolicy))
      state.level.set(
        source,
        mappings.map(({ subjectDomain }) => subjectDomain),
      );
  }
}

function applyConstraints(state: State, certificate: Certificate): void {
  if (!isSelfIssued(certificate)) {
    state.explicitPolicy = Math.max(0, state.explicitPolicy - 1);
    state.policyMapping = Math.max(0, state.policyMapping - 1);
    state.inhibitAnyPolicy = Math.max(0, state.inhibitAnyPolicy - 1);
  }
  const { policyConstraints, inhibitAnyPolicy } = certificate.values;
  state.explicitPolicy = Math.min(state.explicitPolicy, policyConstraints?.requireExplicitPolicy ?? Infinity);
  state.policyMapping = Math.min(state.policyMapping, policyConstraints?.inhibitPolicyMapping ?? Infinity);
  state.inhibitAnyPolicy = Math.min(state.inhibitAnyPolicy, inhibitAnyPolicy ?? Infinity);
}

/**
 * Policy processing of RFC 5280 §6.1 with any policy acceptable to the user: true unless a CA of the path demands an
 * explicit policy and none is valid. `path` goes from anchor to leaf; the anchor contributes its constraints
 * (RFC 5937), not its policies.
 */
export function hasValidPolicy(path: readonly Certificate[]): boolean {
  const [anchor, ...certificates] = path;
  const count = certificates.length;
  const state: State = {
    level: new Map([[OID.anyPolicy, [OID.anyPolicy]]]),
    explicitPolicy: count + 1,
    policyMapping: count + 1,
    inhibitAnyPolicy: count + 1,
  };
  const { policyConstraints, inhibitAnyPolicy } = anchor!.values;
  state.explicitPolicy = Math.min(state.explicitPolicy, policyConstraints?.requireExplicitPolicy ?? Infinity);
  state.policyMapping = Math.min(state.policyMapping, policyConstraints?.inhibitPolicyMapping ?? Infinity);
  state.inhibitAnyPolicy = Math.min(state.inhibitAnyPolicy, inhibitAnyPolicy ?? Infinity);
  for (const [i, certificate] of certificates.entries()) {
    const isFinal = i === count - 1;
    state.level = grow(state, certificate, isFinal);
    if (state.explicitPolicy === 0 && state.level.size === 0) return false;
    if (isFinal) {
      const demandsNow = certificate.values.policyConstraints?.requireExplicitPolicy === 0;
      const explicit = demandsNow ? 0 : Math.max(0, state.explicitPolicy - 1);
      return explicit > 0 || state.level.size > 0;
    }
    applyMappings(state, certificate);
    applyConstraints(state, certificate);
  }
  return true;
}
