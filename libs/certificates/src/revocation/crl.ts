import { setImmediate } from 'node:timers/promises';
import { type Check, failed, passed, warning } from '../check-table.ts';
import {
  contents,
  DER_LIMITS,
  DerError,
  type DerNode,
  elementsOf,
  encoded,
  expectTag,
  readDer,
  readDerOutline,
} from '../der/der-reader.ts';
import { hex } from '../der/hex.ts';
import { TAG } from '../der/tag.ts';
import {
  type Judged,
  readSignatureAlgorithm,
  type SignatureAlgorithm,
  verifySignature,
} from '../x509/algorithms.ts';
import type { Certificate } from '../x509/certificate.ts';
import { type Extension, readExtensions } from '../x509/extensions.ts';
import { type Name, readName, shortName } from '../x509/names.ts';
import { OID } from '../x509/oids.ts';
import { readTime } from '../x509/times.ts';

/** Limits of the list without its entries, which are read one by one. */
const LIMITS = { ...DER_LIMITS, maxBytes: 20_000_000 };
/** Entries of a long list that are read without a pause, a few milliseconds' work. */
const ENTRIES_AT_A_TIME = 1_000;

interface Scope {
  readonly onlyUserCertificates: boolean;
  readonly onlyCaCertificates: boolean;
  /** Encoded names of the distribution point, hexadecimal; empty when the list covers all of the issuer's. */
  readonly points: readonly string[];
}

/** A certificate revocation list as it was read (RFC 5280 §5). */
export interface RevocationList {
  readonly issuer: Name;
  readonly tbs: Uint8Array;
  readonly signatureAlgorithm: Judged<SignatureAlgorithm>;
  readonly signature: Uint8Array;
  /** Milliseconds since 1970. */
  readonly thisUpdate: number;
  readonly nextUpdate: number | undefined;
  readonly authorityKeyId: string | undefined;
  /** Serial numbers (contents octets, hexadecimal) → time of revocation. */
  readonly revoked: ReadonlyMap<string, number>;
  readonly scope: Scope;
  /** The reason why the list cannot be used, even with a valid signature, in words. */
  readonly faults: readonly string[];
}

function fullNames(distributionPointName: DerNode | undefined): readonly string[] {
  const fullName = distributionPointName?.children.find(({ tag }) => tag === 0xa0);
  return (fullName?.children ?? []).map((name) => hex(encoded(name)));
}

/** Fields of IssuingDistributionPoint in their order (RFC 5280 §5.2.5). */
const SCOPE_TAGS: readonly number[] = [0xa0, 0x81, 0x82, 0x83, 0x84, 0x85];

function readScope(extension: Extension | undefined, faults: string[]): Scope {
  const fields = extension ? expectTag(readDer(extension.value), TAG.sequence, 'scope').children : [];
  const flag = (tag: number) =>
    fields.some((field) => field.tag === tag && contents(field).some((octet) => octet !== 0));
  const point = fields.find(({ tag }) => tag === 0xa0);
  const tags = fields.map(({ tag }) => tag);
  const isKnown = tags.every(
    (tag, i) => SCOPE_TAGS.indexOf(tag) > (i === 0 ? -1 : SCOPE_TAGS.indexOf(tags[i - 1]!)),
  );
  if (!isKnown) faults.push('scope with unknown fields');
  if (flag(0x84)) faults.push('indirect CRL');
  if (flag(0x85)) faults.push('CRL for attribute certificates');
  if (fields.some(({ tag }) => tag === 0x83)) faults.push('CRL for some reasons only');
  if (point && fullNames(point).length === 0) faults.push('distribution point without a full name');
  return {
    onlyUserCertificates: flag(0x81),
    onlyCaCertificates: flag(0x82),
    points: fullNames(point),
  };
}

const KNOWN_EXTENSIONS: readonly string[] = [
  OID.authorityKeyIdentifier,
  OID.issuerAltName,
  OID.crlNumber,
  OID.issuingDistributionPoint,
  OID.freshestCrl,
  OID.authorityInfoAccess,
];

/** Pauses between groups of entries; adds the faults of entries to `faults`. */
function* readRevoked(
  node: DerNode | undefined,
  faults: string[],
): Generator<void, Map<string, number>, void> {
  const revoked = new Map<string, number>();
  if (!node) return revoked;
  for (const entry of elementsOf(node)) {
    const [serial, date, extensions] = expectTag(entry, TAG.sequence, 'revoked certificate').children;
    if (!date) throw new DerError('revoked certificate without a date');
    revoked.set(hex(contents(expectTag(serial, TAG.integer, 'serial number'))), readTime(date).time);
    // Some issuers write an empty list of extensions instead of none. It hides nothing.
    const listed = extensions && extensions.children.length > 0 ? readExtensions(extensions) : [];
    const critical = listed.filter((extension) => extension.critical);
    const strange = critical.find(({ id }) => id !== OID.reasonCode && id !== OID.invalidityDate);
    if (strange && faults.length < 10) faults.push(`entry with critical extension ${strange.id}`);
    if (revoked.size % ENTRIES_AT_A_TIME === 0) yield;
  }
  return revoked;
}

function faultsOfExtensions(extensions: readonly Extension[]): string[] {
  const ids = extensions.map(({ id }) => id);
  const crlNumber = extensions.find(({ id }) => id === OID.crlNumber);
  const unknown = extensions.filter(({ id, critical }) => critical && !KNOWN_EXTENSIONS.includes(id));
  return [
    ...(new Set(ids).size === ids.length ? [] : ['an extension stands twice']),
    ...(crlNumber ? [] : ['no CRL number']),
    ...(crlNumber?.critical ? ['CRL number is critical'] : []),
    ...(ids.includes(OID.deltaCrlIndicator) ? ['delta CRL'] : []),
    ...unknown
      .filter(({ id }) => id !== OID.deltaCrlIndicator)
      .map(({ id }) => `critical and unknown: ${id}`),
  ];
}

function readKeyId(extension: Extension | undefined): string | undefined {
  const field = extension && readDer(extension.value).children.find(({ tag }) => tag === 0x80);
  return field && hex(contents(field));
}

/** Reads the contents that the outline of the list skipped. */
function open(node: DerNode | undefined, tag: number, what: string): DerNode {
  return readDer(encoded(expectTag(node, tag, what)));
}

function* readList(der: Uint8Array): Generator<void, RevocationList, void> {
  const root = expectTag(readDerOutline(der, 2, LIMITS), TAG.sequence, 'CRL');
  const [tbs, outerAlgorithm, signatureNode, extra] = root.children;
  if (extra) throw new DerError('not a CRL: wrong number of parts');
  const signature = contents(expectTag(signatureNode, TAG.bitString, 'signature value'));
  const rest = [...expectTag(tbs, TAG.sequence, 'tbsCertList').children];
  const version = rest[0]?.tag === TAG.integer ? contents(rest.shift()!)[0] : undefined;
  const algorithm = expectTag(rest.shift(), TAG.sequence, 'signature');
  const issuer = readName(open(rest.shift(), TAG.sequence, 'issuer'));
  const thisUpdate = rest.shift();
  if (!thisUpdate) throw new DerError('CRL without thisUpdate');
  const isTime = rest[0]?.tag === TAG.utcTime || rest[0]?.tag === TAG.generalizedTime;
  const nextUpdate = isTime ? rest.shift() : undefined;
  const entries = rest[0]?.tag === TAG.sequence ? rest.shift() : undefined;
  const wrapper = rest[0]?.tag === 0xa0 ? open(rest.shift(), 0xa0, 'extensions') : undefined;
  if (rest.length > 0) throw new DerError('CRL with unknown fields');
  const extensions = wrapper
    ? readExtensions(expectTag(wrapper.children[0], TAG.sequence, 'extensions'))
    : [];
  const faults = faultsOfExtensions(extensions);
  if (version !== 1) faults.push('CRL is not version 2');
  if (hex(encoded(outerAlgorithm!)) !== hex(encoded(algorithm))) faults.push('two signature algorithms');
  const byId = (id: string) => extensions.find((extension) => extension.id === id);
  return {
    issuer,
    tbs: encoded(tbs!),
    signatureAlgorithm: readSignatureAlgorithm(open(outerAlgorithm, TAG.sequence, 'signatureAlgorithm')),
    signature: signature.subarray(1),
    thisUpdate: readTime(thisUpdate).time,
    nextUpdate: nextUpdate && readTime(nextUpdate).time,
    authorityKeyId: readKeyId(byId(OID.authorityKeyIdentifier)),
    revoked: yield* readRevoked(entries, faults),
    scope: readScope(byId(OID.issuingDistributionPoint), faults),
    faults,
  };
}

/**
 * Reads a CRL from DER.
 * @throws DerError when the bytes are not strict DER, not a CRL, or above the limits
 */
export function readRevocationList(der: Uint8Array): RevocationList {
  const steps = readList(der);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** As `readRevocationList`, but yields to other work in between: a long list takes seconds. */
export async function readRevocationListInSteps(der: Uint8Array): Promise<RevocationList> {
  const steps = readList(der);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await setImmediate();
  }
}

function coversPoint(list: RevocationList, certificate: Certificate): boolean {
  if (list.scope.points.length === 0) return true;
  const extension = certificate.extensions.find(({ id }) => id === OID.crlDistributionPoints);
  const points = extension ? readDer(extension.value).children : [];
  const names = points.flatMap((point) => fullNames(point.children.find(({ tag }) => tag === 0xa0)));
  return names.some((name) => list.scope.points.includes(name));
}

/** Whether the list covers the certificate (RFC 5280 §6.3.3 (b)). */
export function covers(list: RevocationList, certificate: Certificate): boolean {
  const isCa = certificate.values.basicConstraints?.ca ?? false;
  if (list.issuer.key !== certificate.issuer.key) return false;
  if (isCa ? list.scope.onlyUserCertificates : list.scope.onlyCaCertificates) return false;
  return coversPoint(list, certificate);
}

/** Returns the reason why a list of `issuer` cannot be used at that time (RFC 5280 §6.3.3), in words. */
export function faultOfList(list: RevocationList, issuer: Certificate, at: Date): string | undefined {
  const { authorityKeyId, signatureAlgorithm, thisUpdate, nextUpdate, tbs: data, signature } = list;
  if (list.faults.length > 0) return list.faults.join('; ');
  if (issuer.values.keyUsage && !issuer.values.keyUsage.has('cRLSign'))
    return 'its issuer may not sign CRLs (keyUsage without cRLSign)';
  if (authorityKeyId !== undefined && authorityKeyId !== issuer.values.subjectKeyId)
    return 'signed with another key of the issuer';
  const now = Math.floor(at.getTime() / 1000) * 1000;
  if (now < thisUpdate) return `not valid before ${new Date(thisUpdate).toISOString()}`;
  if (nextUpdate === undefined) return 'without nextUpdate';
  if (now > nextUpdate) return `expired at ${new Date(nextUpdate).toISOString()}`;
  if (!signatureAlgorithm.value) return signatureAlgorithm.fault;
  const key = issuer.publicKey();
  const verified = key && verifySignature({ algorithm: signatureAlgorithm.value, key, data, signature });
  return verified ? undefined : 'its signature does not verify';
}

function checkOne(
  certificate: Certificate,
  issuer: Certificate,
  given: { readonly lists: readonly RevocationList[]; readonly at: Date },
): Check {
  const label = shortName(certificate.subject);
  const about = given.lists.filter((list) => covers(list, certificate));
  if (about.length === 0)
    return warning('revocation', `${label}: no CRL of ${shortName(certificate.issuer)} was given`);
  const judgedLists = about.map((list) => ({ list, fault: faultOfList(list, issuer, given.at) }));
  const usable = judgedLists.filter(({ fault }) => fault === undefined).map(({ list }) => list);
  const date = usable
    .map(({ revoked }) => revoked.get(hex(certificate.serialNumber)))
    .find((time) => time !== undefined);
  if (date !== undefined) return failed('revocation', `${label}: revoked at ${new Date(date).toISOString()}`);
  if (usable.length === 0)
    return failed('revocation-list', `${label}: CRL cannot be used: ${judgedLists[0]!.fault}`);
  return passed('revocation', `${label}: not on the CRL of ${shortName(certificate.issuer)}`);
}

/**
 * Checks every certificate below the anchor against the given CRLs (RFC 5280 §6.3.3). A certificate without a CRL gets a
 * warning; one with only unusable CRLs is refused. Fetches nothing.
 */
export function checkRevocation(options: {
  readonly path: readonly Certificate[];
  readonly at: Date;
  readonly revocationLists?: readonly RevocationList[];
}): readonly Check[] {
  const { path, at, revocationLists: lists } = options;
  if (!lists) return [];
  return path.slice(0, -1).map((certificate, i) => checkOne(certificate, path[i + 1]!, { lists, at }));
}
