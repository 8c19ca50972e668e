import { readableFault } from '@kontoport/errors';
import { type Check, type CheckId, failed, passed, warning } from '../check-table.ts';
import { DerError, faultOfDer } from '../der/der-reader.ts';
import { judgePublicKey, judgeSignatureAlgorithm } from '../path/certificate-rules.ts';
import { type Certificate } from '../x509/certificate.ts';
import { attributeValues } from '../x509/names.ts';
import { OID, ROLE_NAMES } from '../x509/oids.ts';
import {
  faultsOfPsd2Encoding,
  mentionsPsd2,
  type Psd2Statement,
  type QcStatement,
  readCountries,
  readPsd2Statement,
  readQcStatements,
  readQcTypes,
  type StatedRole,
} from './qc-statements.ts';

/** The roles that grant something here (§2.1). All others are parsed and grant nothing. */
export type Role = 'PSP_AI' | 'PSP_PI';

export interface QwacResult {
  readonly checks: readonly Check[];
  readonly roles: readonly Role[];
  readonly statedRoles: readonly StatedRole[];
  readonly psd2: Psd2Statement | undefined;
}

const outcome = (check: CheckId, fault: string | undefined | false, found = '') =>
  fault ? failed(check, fault) : passed(check, found);

function checkKey(certificate: Certificate): readonly Check[] {
  const algorithm = judgeSignatureAlgorithm(certificate);
  const key = judgePublicKey(certificate);
  return [
    'fault' in algorithm
      ? failed('signature-algorithm', algorithm.fault)
      : passed('signature-algorithm', algorithm.found),
    'fault' in key ? failed('public-key', key.fault) : passed('public-key', key.found),
  ];
}

const PURPOSE_NAMES: Readonly<Record<string, string>> = {
  [OID.serverAuth]: 'serverAuth',
  [OID.clientAuth]: 'clientAuth',
  [OID.anyExtendedKeyUsage]: 'anyExtendedKeyUsage',
};

const TYPE_NAMES: Readonly<Record<string, string>> = {
  [OID.qcTypeEsign]: 'esign',
  [OID.qcTypeEseal]: 'eseal',
  [OID.qcTypeWeb]: 'web',
};

/** Identifiers with the names that are known. */
const named = (ids: readonly string[], names: Readonly<Record<string, string>>) =>
  ids.map((id) => (names[id] === undefined ? id : `${names[id]} (${id})`)).join(', ');

/** Returns the first repeated value. Linear, because the author of the certificate chooses how many there are. */
function firstTwice(values: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return values.find((value) => seen.size === seen.add(value).size);
}

function checkUsage({ values }: Certificate): readonly Check[] {
  const { basicConstraints, keyUsage, extendedKeyUsage, policies } = values;
  const usages = [...(keyUsage ?? [])].join(', ');
  const serves = extendedKeyUsage?.includes(OID.clientAuth);
  const purposes = named(extendedKeyUsage ?? [], PURPOSE_NAMES);
  return [
    outcome('end-entity', basicConstraints?.ca && 'it is a CA certificate', 'no CA'),
    outcome(
      'leaf-key-usage',
      !keyUsage
        ? 'no keyUsage'
        : !keyUsage.has('digitalSignature') && `keyUsage ${usages}: no digitalSignature`,
      usages,
    ),
    extendedKeyUsage
      ? outcome('leaf-extended-key-usage', !serves && `extKeyUsage ${purposes}: no clientAuth`, purposes)
      : failed('leaf-extended-key-usage', 'no extKeyUsage'),
    policies ? passed('leaf-policy', policies.join(', ')) : warning('leaf-policy', 'no certificate policy'),
  ];
}

/** Statements of the extension; a fault when it is missing or broken. */
function readStatements({ extensions }: Certificate): {
  readonly statements: readonly QcStatement[];
  readonly value?: Uint8Array;
  readonly fault?: string;
} {
  const extension = extensions.find(({ id }) => id === OID.qcStatements);
  if (!extension) return { statements: [] };
  try {
    return { statements: readQcStatements(extension.value), value: extension.value };
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return { statements: [], value: extension.value, fault: error.message };
  }
}

function checkStatementList(statements: readonly QcStatement[], fault: string | undefined): readonly Check[] {
  if (fault) return [failed('qc-statements', fault)];
  if (statements.length === 0) return [warning('qc-statements', 'no qcStatements')];
  const ids = statements.map(({ id }) => id);
  const twice = firstTwice(ids);
  const others = statements.filter(({ id }) => id !== OID.psd2Statement);
  const notDer = others.map(({ node }) => faultOfDer(node)).find((text) => text !== undefined);
  const misplaced = ids.find((id) => id in TYPE_NAMES);
  const check = outcome(
    'qc-statements',
    twice ? `statement ${twice} stands twice` : notDer && `not DER: ${notDer}`,
    ids.join(', '),
  );
  return misplaced
    ? [check, warning('qc-statements', `QcType OID used as a statement: ${misplaced}`)]
    : [check];
}

/** QcCompliance beside QcCClegislation refers to the law of those countries, not of the EU. */
function checkCompliance(statements: readonly QcStatement[]): readonly Check[] {
  const find = (id: string) => statements.find((statement) => statement.id === id);
  const check = outcome('qc-compliance', !find(OID.qcCompliance) && 'no QcCompliance', OID.qcCompliance);
  const legislation = find(OID.qcLegislation);
  if (!legislation) return [check];
  const countries = readCountries(legislation).join(', ') || 'no readable country';
  return [
    check,
    warning('qc-compliance', `QcCClegislation: qualified by the law of ${countries}, not of the EU`),
  ];
}

function checkQcType(statements: readonly QcStatement[]): Check {
  const statement = statements.find(({ id }) => id === OID.qcType);
  if (!statement) return failed('qc-type', 'no QcType');
  try {
    const types = readQcTypes(statement);
    const isWeb = types.length === 1 && types[0] === OID.qcTypeWeb;
    return outcome(
      'qc-type',
      !isWeb && `QcType is not web only: ${named(types, TYPE_NAMES) || 'empty'}`,
      'web',
    );
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return failed('qc-type', `QcType cannot be read: ${error.message}`);
  }
}

function readPsd2(
  statement: QcStatement | undefined,
  broken: { readonly value?: Uint8Array; readonly fault?: string },
): { readonly checks: readonly Check[]; readonly psd2?: Psd2Statement } {
  if (!statement) {
    const wasMeant = broken.fault !== undefined && mentionsPsd2(broken.value!);
    return {
      checks: wasMeant
        ? [failed('psd2-form', `the qcStatements around it cannot be read: ${broken.fault}`)]
        : [failed('psd2-statement', 'no PSD2 QcStatement')],
    };
  }
  const present = passed('psd2-statement', OID.psd2Statement);
  try {
    const psd2 = readPsd2Statement(statement);
    const faults = faultsOfPsd2Encoding(statement, psd2);
    const form = outcome('psd2-form', faults.join('; '), 'DER, encodes again to the same bytes');
    return { checks: [present, form], psd2 };
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return { checks: [present, failed('psd2-form', error.message)] };
  }
}

/** Returns the role that an identifier grants; the name has a check of its own. */
function roleOf(oid: string): Role | undefined {
  const name = ROLE_NAMES[oid];
  return name === 'PSP_AI' || name === 'PSP_PI' ? name : undefined;
}

/** An unknown role may have any name that is not a known role's: TS 119 495 leaves room for other schemes. */
function disagreement({ oid, name }: StatedRole): string | undefined {
  const expected = ROLE_NAMES[oid];
  if (expected !== undefined)
    return name === expected ? undefined : `${oid} is ${expected}, not ${JSON.stringify(name)}`;
  const isKnownName = Object.values(ROLE_NAMES).includes(name);
  return isKnownName ? `unknown role identifier ${oid} with the name ${name}` : undefined;
}

function checkRoles(roles: readonly StatedRole[]): readonly Check[] {
  if (roles.length === 0) return [failed('psd2-roles', 'no roles')];
  const oids = roles.map(({ oid }) => oid);
  const twice = firstTwice(oids);
  const stated = roles.map(({ oid, name }) => `${name} (${oid})`).join(', ');
  const wrong = roles.map(disagreement).filter((fault) => fault !== undefined);
  const granted = oids.map(roleOf).filter((role) => role !== undefined);
  return [
    outcome('psd2-roles', twice && `role ${twice} stands twice`, stated),
    outcome('psd2-role-names', wrong.join('; '), 'identifiers and names agree'),
    outcome(
      'psd2-role-granted',
      granted.length === 0 && `neither PSP_AI nor PSP_PI: ${stated}`,
      granted.join(', '),
    ),
  ];
}

const AUTHORITY_FORM = /^[A-Z]{2}-[A-Z]{2,8}$/;
const ORGANIZATION_FORM = /^PSD([A-Z]{2}-[A-Z]{2,8})-.+$/;
/** Maximum length, several times that of any register. The identifier appears in indexes and logs. */
const MAX_IDENTIFIER_LENGTH = 256;

function faultOfOrganization(identifiers: readonly string[]): string | undefined {
  const [identifier = ''] = identifiers;
  if (identifiers.length > 1) return 'more than one organizationIdentifier';
  if (identifier.trim() === '') return 'no organizationIdentifier';
  if (identifier.length > MAX_IDENTIFIER_LENGTH)
    return `organizationIdentifier longer than ${MAX_IDENTIFIER_LENGTH} characters`;
  return readableFault(identifier) && 'organizationIdentifier with unreadable characters';
}

function checkOrganization({ subject }: Certificate, psd2: Psd2Statement | undefined): readonly Check[] {
  const identifiers = attributeValues(subject, OID.organizationIdentifier);
  const [identifier = ''] = identifiers;
  const soft = (check: CheckId, fault: string | false, found: string) =>
    fault ? warning(check, fault) : passed(check, found);
  const fault = faultOfOrganization(identifiers);
  const authority = ORGANIZATION_FORM.exec(identifier)?.[1];
  const checks = [outcome('organization-identifier', fault, identifier)];
  if (fault === undefined)
    checks.push(
      soft('organization-identifier-form', !authority && `${identifier}: not PSDcc-NCA-number`, identifier),
    );
  if (!psd2) return checks;
  const { ncaId } = psd2;
  checks.push(soft('nca-id-form', !AUTHORITY_FORM.test(ncaId) && `${ncaId}: not cc-NCA`, ncaId));
  const disagrees = authority
    ? authority !== ncaId && `${identifier} and ${ncaId} name two authorities`
    : `${identifier} does not name the authority ${ncaId}`;
  if (fault === undefined) checks.push(soft('nca-agreement', disagrees, ncaId));
  return checks;
}

/**
 * The rules for the leaf alone: is it a PSD2 website certificate (ETSI EN 319 412-4, -5; TS 119 495)? Every check is
 * made, whatever fails. Roles are granted only when all of them pass.
 */
export function checkQwac(certificate: Certificate): QwacResult {
  const read = readStatements(certificate);
  const find = (id: string) => read.statements.find((statement) => statement.id === id);
  const { checks: psd2Checks, psd2 } = readPsd2(find(OID.psd2Statement), read);
  const checks = [
    ...checkKey(certificate),
    ...checkUsage(certificate),
    ...checkStatementList(read.statements, read.fault),
    ...checkCompliance(read.statements),
    checkQcType(read.statements),
    ...psd2Checks,
    ...(psd2 ? checkRoles(psd2.roles) : []),
    ...checkOrganization(certificate, psd2),
  ];
  const isSound = checks.every(({ result }) => result !== 'failed');
  const stated = psd2?.roles ?? [];
  return {
    checks,
    roles: isSound ? stated.map(({ oid }) => roleOf(oid)).filter((role) => role !== undefined) : [],
    statedRoles: stated,
    psd2,
  };
}
