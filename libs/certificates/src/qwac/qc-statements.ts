import {
  DerError,
  type DerNode,
  encoded,
  expectTag,
  faultOfDer,
  readDerLeniently,
  readOid,
} from '../der/der-reader.ts';
import { derOid, derSequence, derUtf8String } from '../der/der-writer.ts';
import { TAG } from '../der/tag.ts';
import { readText } from '../x509/names.ts';
import { OID } from '../x509/oids.ts';

/** A role as the certificate states it: identifier and name need not agree, and need not be known. */
export interface StatedRole {
  readonly oid: string;
  readonly name: string;
}

/** The PSD2QcType of TS 119 495 annex A. */
export interface Psd2Statement {
  readonly roles: readonly StatedRole[];
  readonly ncaName: string;
  readonly ncaId: string;
}

export interface QcStatement {
  readonly id: string;
  readonly info: DerNode | undefined;
  readonly node: DerNode;
}

/**
 * Reads QCStatements (RFC 3739 §3.2.6). They need not be DER here, so that the rules can say which statement is not.
 * @throws DerError when it is no sequence of statements
 */
export function readQcStatements(value: Uint8Array): readonly QcStatement[] {
  const root = expectTag(readDerLeniently(value), TAG.sequence, 'qcStatements');
  return root.children.map((node) => {
    const [id, info, extra] = expectTag(node, TAG.sequence, 'QCStatement').children;
    if (extra) throw new DerError('a QCStatement is not an identifier and its information');
    return { id: readOid(id, 'statementId'), info, node };
  });
}

function readString(node: DerNode | undefined, what: string): string {
  const text = node && readText(node);
  if (text === undefined) throw new DerError(`${what} is not a string`);
  return text;
}

/**
 * Reads the PSD2 statement in any string type, for explaining it.
 * @throws DerError when the structure is not that of TS 119 495 annex A
 */
export function readPsd2Statement({ info }: QcStatement): Psd2Statement {
  const [roles, ncaName, ncaId, extra] = expectTag(info, TAG.sequence, 'PSD2QcType').children;
  if (extra) throw new DerError('PSD2QcType with unknown fields');
  return {
    roles: expectTag(roles, TAG.sequence, 'rolesOfPSP').children.map((role) => {
      const [oid, name, more] = expectTag(role, TAG.sequence, 'RoleOfPSP').children;
      if (more) throw new DerError('RoleOfPSP is not an identifier and a name');
      return { oid: readOid(oid, 'roleOfPspOid'), name: readString(name, 'roleOfPspName') };
    }),
    ncaName: readString(ncaName, 'nCAName'),
    ncaId: readString(ncaId, 'nCAId'),
  };
}

/** The one DER encoding that TS 119 495 annex A gives a PSD2 statement. */
export function encodePsd2Statement({ roles, ncaName, ncaId }: Psd2Statement): Uint8Array {
  return derSequence([
    derOid(OID.psd2Statement),
    derSequence([
      derSequence(roles.map((role) => derSequence([derOid(role.oid), derUtf8String(role.name)]))),
      derUtf8String(ncaName),
      derUtf8String(ncaId),
    ]),
  ]);
}

/** 1 to 256 characters, counted as code points. */
const isSized = (text: string) => /^.{1,256}$/su.test(text);

/** Returns the faults in the encoding of a readable PSD2 statement, in words. */
export function faultsOfPsd2Encoding(statement: QcStatement, read: Psd2Statement): readonly string[] {
  const notDer = faultOfDer(statement.node);
  if (notDer) return [`not DER: ${notDer}`];
  const [roles, ...nca] = statement.info!.children;
  const isUtf8 = (node: DerNode | undefined) => node?.tag === TAG.utf8String;
  const texts = [...read.roles.map(({ name }) => name), read.ncaName, read.ncaId];
  const faults = [
    ...(nca.every(isUtf8) ? [] : ['nCAName or nCAId is not a UTF8String']),
    ...(roles!.children.every((role) => isUtf8(role.children[1])) ? [] : ['a role name is not a UTF8String']),
    ...(texts.every(isSized) ? [] : ['a string is empty or longer than 256 characters']),
  ];
  const differs = Buffer.compare(encodePsd2Statement(read), encoded(statement.node)) !== 0;
  return faults.length === 0 && differs ? ['encoding it again gives other bytes'] : faults;
}

/** The object identifiers of a QcType statement (EN 319 412-5 §4.2.3); throws DerError when it is no list of them. */
export function readQcTypes({ info }: QcStatement): readonly string[] {
  return expectTag(info, TAG.sequence, 'QcType').children.map((type) => readOid(type, 'QcType'));
}

/** The countries of a QcCClegislation statement (EN 319 412-5 §4.2.4), as far as they can be read. */
export function readCountries({ info }: QcStatement): readonly string[] {
  return (info?.children ?? []).flatMap((country) =>
    country.tag === TAG.printableString ? [readText(country)!] : [],
  );
}

/** True when the octets hold the identifier of the PSD2 statement: then a broken extension was meant as one. */
export function mentionsPsd2(value: Uint8Array): boolean {
  return Buffer.from(value).includes(derOid(OID.psd2Statement));
}
