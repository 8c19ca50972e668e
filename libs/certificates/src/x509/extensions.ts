import {
  AuthorityInfoAccessSyntax,
  AuthorityKeyIdentifier,
  CRLDistributionPoints,
} from '@peculiar/asn1-x509';
import {
  contents,
  DerError,
  type DerNode,
  expectTag,
  readDer,
  readOid,
  readSmallInteger,
} from '../der/der-reader.ts';
import { hex } from '../der/hex.ts';
import { TAG } from '../der/tag.ts';
import { faultOfConstraint } from '../path/name-constraints.ts';
import { faultOfGeneralName, type GeneralName, readGeneralName, readGeneralNames } from './general-names.ts';
import { OID } from './oids.ts';
import { readValue } from './read-value.ts';

export type KeyUsage =
  | 'digitalSignature'
  | 'nonRepudiation'
  | 'keyEncipherment'
  | 'dataEncipherment'
  | 'keyAgreement'
  | 'keyCertSign'
  | 'cRLSign'
  | 'encipherOnly'
  | 'decipherOnly';

const KEY_USAGES: readonly KeyUsage[] = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
];

export interface PolicyMapping {
  readonly issuerDomain: string;
  readonly subjectDomain: string;
}

/** The values of the extensions of RFC 5280 §4.2; an absent or malformed one is undefined. */
export interface ExtensionValues {
  basicConstraints?: { readonly ca: boolean; readonly pathLength: number | undefined };
  keyUsage?: ReadonlySet<KeyUsage>;
  extendedKeyUsage?: readonly string[];
  subjectKeyId?: string;
  authorityKeyId?: { /** Lower-case hexadecimal. */ readonly keyId: string | undefined };
  subjectAltName?: readonly GeneralName[];
  nameConstraints?: { readonly permitted: readonly GeneralName[]; readonly excluded: readonly GeneralName[] };
  policies?: readonly string[];
  policyMappings?: readonly PolicyMapping[];
  policyConstraints?: {
    readonly requireExplicitPolicy: number | undefined;
    readonly inhibitPolicyMapping: number | undefined;
  };
  inhibitAnyPolicy?: number;
}

function atLeastOne(node: DerNode, what: string): readonly DerNode[] {
  expectTag(node, TAG.sequence, what);
  if (node.children.length === 0) throw new DerError(`${what} is empty`);
  return node.children;
}

function readBasicConstraints(node: DerNode): ExtensionValues {
  expectTag(node, TAG.sequence, 'basicConstraints');
  const rest = [...node.children];
  const ca = rest[0]?.tag === TAG.boolean ? contents(rest.shift()!)[0] === 0xff : false;
  const length = rest[0]?.tag === TAG.integer ? contents(rest.shift()!) : undefined;
  if (rest.length > 0) throw new DerError('basicConstraints with unknown fields');
  if (length && !ca) throw new DerError('pathLenConstraint without cA');
  const pathLength = length && readSmallInteger(length, 'pathLenConstraint');
  return { basicConstraints: { ca, pathLength } };
}

function readKeyUsage(node: DerNode): ExtensionValues {
  const [unused = 0, ...octets] = contents(expectTag(node, TAG.bitString, 'keyUsage'));
  const bits = octets.length * 8 - unused;
  const usages = KEY_USAGES.filter((_, bit) => ((octets[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0);
  if (usages.length === 0) throw new DerError('keyUsage without any bit');
  if (bits > KEY_USAGES.length) throw new DerError('keyUsage with unknown bits');
  return { keyUsage: new Set(usages) };
}

function readAuthorityKeyId(node: DerNode): ExtensionValues {
  const value = readValue(AuthorityKeyIdentifier, node);
  if ((value.authorityCertIssuer === undefined) !== (value.authorityCertSerialNumber === undefined))
    throw new DerError('authorityCertIssuer and authorityCertSerialNumber must stand together');
  const issuers = node.children.find(({ tag }) => tag === 0xa1);
  if (issuers) readGeneralNames(issuers, 'authorityCertIssuer');
  const octets = value.keyIdentifier?.buffer;
  if (octets?.byteLength === 0) throw new DerError('keyIdentifier is empty');
  return { authorityKeyId: { keyId: octets && hex(new Uint8Array(octets)) } };
}

function readSubjectKeyId(node: DerNode): ExtensionValues {
  const octets = contents(expectTag(node, TAG.octetString, 'subjectKeyIdentifier'));
  if (octets.length === 0) throw new DerError('subjectKeyIdentifier is empty');
  return { subjectKeyId: hex(octets) };
}

function readAltName(node: DerNode, what: string): readonly GeneralName[] {
  const names = readGeneralNames(expectTag(node, TAG.sequence, what), what);
  for (const name of names) {
    const fault = faultOfGeneralName(name);
    if (fault) throw new DerError(fault);
  }
  return names;
}

function readSubtrees(node: DerNode | undefined, what: string): readonly GeneralName[] {
  if (!node) return [];
  if (node.children.length === 0) throw new DerError(`${what} is empty`);
  return node.children.map((subtree) => {
    expectTag(subtree, TAG.sequence, what);
    if (subtree.children.length !== 1) throw new DerError(`${what} with minimum or maximum`);
    const base = readGeneralName(subtree.children[0]!);
    const fault = faultOfConstraint(base);
    if (fault) throw new DerError(`${what}: ${fault}`);
    return base;
  });
}

function readNameConstraints(node: DerNode): ExtensionValues {
  const parts = atLeastOne(node, 'nameConstraints');
  const tags = parts.map(({ tag }) => tag).join();
  if (!['160', '161', '160,161'].includes(tags)) throw new DerError('nameConstraints with unknown fields');
  return {
    nameConstraints: {
      permitted: readSubtrees(
        parts.find(({ tag }) => tag === 0xa0),
        'permittedSubtrees',
      ),
      excluded: readSubtrees(
        parts.find(({ tag }) => tag === 0xa1),
        'excludedSubtrees',
      ),
    },
  };
}

function readPolicies(node: DerNode): ExtensionValues {
  const policies = atLeastOne(node, 'certificatePolicies').map((information) => {
    expectTag(information, TAG.sequence, 'policy information');
    const [id, qualifiers, extra] = information.children;
    if (extra) throw new DerError('policy information with unknown fields');
    if (qualifiers) atLeastOne(qualifiers, 'policyQualifiers');
    return readOid(id, 'policy identifier');
  });
  if (new Set(policies).size !== policies.length) throw new DerError('a certificate policy stands twice');
  return { policies };
}

function readPolicyMappings(node: DerNode): ExtensionValues {
  const policyMappings = atLeastOne(node, 'policyMappings').map((mapping) => {
    const [issuer, subject, extra] = expectTag(mapping, TAG.sequence, 'policy mapping').children;
    if (extra) throw new DerError('policy mapping with unknown fields');
    return { issuerDomain: readOid(issuer), subjectDomain: readOid(subject) };
  });
  if (policyMappings.some((map) => [map.issuerDomain, map.subjectDomain].includes(OID.anyPolicy)))
    throw new DerError('policyMappings to or from anyPolicy');
  return { policyMappings };
}

function readPolicyConstraints(node: DerNode): ExtensionValues {
  const parts = atLeastOne(node, 'policyConstraints');
  const tags = parts.map(({ tag }) => tag).join();
  if (!['128', '129', '128,129'].includes(tags)) throw new DerError('policyConstraints with unknown fields');
  const skip = (tag: number) => {
    const part = parts.find((candidate) => candidate.tag === tag);
    return part && readSmallInteger(contents(part), 'policyConstraints');
  };
  return { policyConstraints: { requireExplicitPolicy: skip(0x80), inhibitPolicyMapping: skip(0x81) } };
}

function readInhibitAnyPolicy(node: DerNode): ExtensionValues {
  const value = contents(expectTag(node, TAG.integer, 'inhibitAnyPolicy'));
  return { inhibitAnyPolicy: readSmallInteger(value, 'inhibitAnyPolicy') };
}

function readExtendedKeyUsage(node: DerNode): ExtensionValues {
  return { extendedKeyUsage: atLeastOne(node, 'extKeyUsage').map((purpose) => readOid(purpose)) };
}

function checkAccessDescriptions(node: DerNode): ExtensionValues {
  const descriptions = atLeastOne(node, 'access descriptions');
  readValue(AuthorityInfoAccessSyntax, node);
  for (const { children } of descriptions) readGeneralName(children[1]!);
  return {};
}

function checkDistributionPoints(node: DerNode): ExtensionValues {
  atLeastOne(node, 'distribution points');
  if (readValue(CRLDistributionPoints, node).some((point) => !point.distributionPoint && !point.cRLIssuer))
    throw new DerError('distribution point with neither name nor CRL issuer');
  return {};
}

/** The reader of an extension, and whether RFC 5280 demands or forbids that it is critical. */
interface ExtensionRule {
  readonly name: string;
  readonly critical: 'must' | 'must-not' | 'either';
  readonly read: (value: DerNode) => ExtensionValues;
}

/** The extensions that are understood; a critical one outside this table is refused (RFC 5280 §4.2). */
const RULES: Readonly<Record<string, ExtensionRule>> = {
  [OID.subjectKeyIdentifier]: { name: 'subjectKeyIdentifier', critical: 'must-not', read: readSubjectKeyId },
  [OID.authorityKeyIdentifier]: {
    name: 'authorityKeyIdentifier',
    critical: 'must-not',
    read: readAuthorityKeyId,
  },
  [OID.keyUsage]: { name: 'keyUsage', critical: 'either', read: readKeyUsage },
  [OID.basicConstraints]: { name: 'basicConstraints', critical: 'either', read: readBasicConstraints },
  [OID.extendedKeyUsage]: { name: 'extKeyUsage', critical: 'either', read: readExtendedKeyUsage },
  [OID.subjectAltName]: {
    name: 'subjectAltName',
    critical: 'either',
    read: (node) => ({ subjectAltName: readAltName(node, 'subjectAltName') }),
  },
  [OID.issuerAltName]: {
    name: 'issuerAltName',
    critical: 'either',
    read: (node) => (readAltName(node, 'issuerAltName'), {}),
  },
  [OID.nameConstraints]: { name: 'nameConstraints', critical: 'must', read: readNameConstraints },
  [OID.certificatePolicies]: { name: 'certificatePolicies', critical: 'either', read: readPolicies },
  [OID.policyMappings]: { name: 'policyMappings', critical: 'either', read: readPolicyMappings },
  [OID.policyConstraints]: { name: 'policyConstraints', critical: 'must', read: readPolicyConstraints },
  [OID.inhibitAnyPolicy]: { name: 'inhibitAnyPolicy', critical: 'must', read: readInhibitAnyPolicy },
  [OID.crlDistributionPoints]: {
    name: 'cRLDistributionPoints',
    critical: 'either',
    read: checkDistributionPoints,
  },
  [OID.freshestCrl]: { name: 'freshestCRL', critical: 'must-not', read: checkDistributionPoints },
  [OID.authorityInfoAccess]: {
    name: 'authorityInfoAccess',
    critical: 'must-not',
    read: checkAccessDescriptions,
  },
  [OID.subjectInfoAccess]: {
    name: 'subjectInfoAccess',
    critical: 'must-not',
    read: checkAccessDescriptions,
  },
  // The rules for qualified certificates check its contents, with a more precise fault.
  [OID.qcStatements]: { name: 'qcStatements', critical: 'either', read: () => ({}) },
};

export interface Extension {
  readonly id: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/**
 * Reads the Extensions SEQUENCE of a certificate or CRL (RFC 5280 §4.1.2.9).
 * @throws DerError
 */
export function readExtensions(node: DerNode): readonly Extension[] {
  return atLeastOne(node, 'extensions').map((extension) => {
    const [id, ...rest] = expectTag(extension, TAG.sequence, 'extension').children;
    const critical = rest[0]?.tag === TAG.boolean ? contents(rest.shift()!)[0] === 0xff : false;
    if (rest.length !== 1) throw new DerError('an extension is not an identifier and a value');
    const value = contents(expectTag(rest[0], TAG.octetString, 'extension value'));
    return { id: readOid(id, 'extension identifier'), critical, value };
  });
}

/** A fault of an extension, in words. */
export interface ExtensionFault {
  readonly id: string;
  readonly fault: string;
  /** Whether only the critical flag is wrong: the value of the extension is known nevertheless. */
  readonly ofCriticality: boolean;
}

/** Returns the values of the known extensions, and their faults. */
export function interpretExtensions(extensions: readonly Extension[]): {
  values: ExtensionValues;
  /** Syntax and criticality against RFC 5280 §4.2.1. */
  faults: readonly ExtensionFault[];
  duplicates: readonly string[];
  unknownCritical: readonly string[];
} {
  const values: ExtensionValues = {};
  const faults: ExtensionFault[] = [];
  const duplicates = new Set<string>();
  const seen = new Set<string>();
  for (const { id, critical, value } of extensions) {
    if (seen.has(id)) duplicates.add(id);
    seen.add(id);
    const rule = RULES[id];
    if (!rule) continue;
    if (rule.critical === 'must' && !critical)
      faults.push({ id, fault: `${rule.name} is not critical`, ofCriticality: true });
    if (rule.critical === 'must-not' && critical)
      faults.push({ id, fault: `${rule.name} is critical`, ofCriticality: true });
    if (id === OID.qcStatements) continue;
    try {
      Object.assign(values, rule.read(readDer(value)));
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
      faults.push({ id, fault: `${rule.name}: ${error.message}`, ofCriticality: false });
    }
  }
  const unknownCritical = extensions.filter(({ id, critical }) => critical && !RULES[id]).map(({ id }) => id);
  return { values, faults, duplicates: [...duplicates], unknownCritical };
}
