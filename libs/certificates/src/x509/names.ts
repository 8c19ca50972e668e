import { contents, DerError, type DerNode, encoded, expectTag, readOid } from '../der/der-reader.ts';
import { TAG } from '../der/tag.ts';
import { OID } from './oids.ts';

export interface NameAttribute {
  readonly type: string;
  readonly value: string;
  /** Identifier octet of the value's string type. */
  readonly tag: number;
}

/** A distinguished name; each RDN is a set of attributes. */
export interface Name {
  readonly rdns: readonly (readonly NameAttribute[])[];
  /** Equal for names that match by RFC 5280 §7.1 (case, width and white space aside); one entry per RDN. */
  readonly keys: readonly string[];
  /** All keys as one string: equal exactly for matching names. */
  readonly key: string;
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

/** Text of a DirectoryString or IA5String; undefined for a type that is no string. */
export function readText(node: DerNode): string | undefined {
  const bytes = contents(node);
  switch (node.tag) {
    case TAG.utf8String:
      return Buffer.from(bytes).toString('utf8');
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.numericString:
    case TAG.visibleString:
    case TAG.teletexString:
      return latin1(bytes);
    case TAG.bmpString:
      if (bytes.length % 2 !== 0) throw new DerError('BMPString of an odd length');
      return Buffer.from(bytes).swap16().toString('utf16le');
    case TAG.universalString:
      if (bytes.length % 4 !== 0) throw new DerError('UniversalString of a wrong length');
      return readUniversalString(bytes);
    default:
      return undefined;
  }
}

function readUniversalString(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  const points = Array.from({ length: buffer.length / 4 }, (_, i) => buffer.readUInt32BE(i * 4));
  if (points.some((point) => point > 0x10ffff)) throw new DerError('UniversalString outside Unicode');
  return String.fromCodePoint(...points);
}

/** Far above every upper bound of RFC 5280 appendix A; a longer value matches only itself. */
const MAX_PREPARED = 1024;

/** String preparation of RFC 5280 §7.1 as far as matching needs it. */
function prepare(text: string): string {
  // Normalisation takes time in the square of the length for a run of combining marks.
  if (text.length > MAX_PREPARED) return text;
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

function readAttribute(node: DerNode): NameAttribute & { key: string } {
  expectTag(node, TAG.sequence, 'name attribute');
  const [typeNode, valueNode, extra] = node.children;
  if (!valueNode || extra) throw new DerError('a name attribute is not a type and a value');
  const type = readOid(typeNode, 'type of a name attribute');
  const text = readText(valueNode);
  const value = text ?? `#${Buffer.from(encoded(valueNode)).toString('hex')}`;
  return { type, value, tag: valueNode.tag, key: JSON.stringify([type, prepare(value)]) };
}

/** Reads an RDNSequence (RFC 5280 §4.1.2.4). */
export function readName(node: DerNode): Name {
  expectTag(node, TAG.sequence, 'name');
  const rdns: NameAttribute[][] = [];
  const keys: string[] = [];
  for (const set of node.children) {
    expectTag(set, TAG.set, 'relative distinguished name');
    if (set.children.length === 0) throw new DerError('empty relative distinguished name');
    const attributes = set.children.map(readAttribute);
    rdns.push(attributes.map(({ type, value, tag }) => ({ type, value, tag })));
    keys.push(
      attributes
        .map(({ key }) => key)
        .toSorted()
        .join(','),
    );
  }
  return { rdns, keys, key: JSON.stringify(keys) };
}

/** Every value of an attribute type, in order. */
export function attributeValues(name: Name, type: string): readonly string[] {
  return name.rdns.flatMap((rdn) => rdn.filter((part) => part.type === type).map((part) => part.value));
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  [OID.commonName]: 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  [OID.organizationName]: 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'title',
  '2.5.4.15': 'businessCategory',
  '2.5.4.17': 'postalCode',
  '2.5.4.42': 'GN',
  '2.5.4.46': 'dnQualifier',
  [OID.organizationIdentifier]: 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  [OID.emailAddress]: 'emailAddress',
  '1.3.6.1.4.1.311.60.2.1.1': 'jurisdictionL',
  '1.3.6.1.4.1.311.60.2.1.2': 'jurisdictionST',
  '1.3.6.1.4.1.311.60.2.1.3': 'jurisdictionC',
};

/** Every attribute in order, by its short name of RFC 4519, else by its dotted type; values are unchanged. */
export function namedAttributes(name: Name): readonly { readonly name: string; readonly value: string }[] {
  return name.rdns.flat().map(({ type, value }) => ({ name: DESCRIPTORS[type] ?? type, value }));
}

function escapeValue(value: string): string {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9 .:/@()'_-]*[A-Za-z0-9.)])?$/.test(value)) return value;
  return value
    .replaceAll(/["+,;<>\\]/g, (character) => `\\${character}`)
    .replaceAll(/\p{Cc}/gu, (character) => {
      const octets = Buffer.from(character).toString('hex').match(/../g) ?? [];
      return octets.map((octet) => `\\${octet}`).join('');
    })
    .replace(/^[ #]/, String.raw`\$&`)
    .replace(/(?<!\\) $/, String.raw`\ `);
}

/** The name as text by RFC 4514: last RDN first, values escaped. */
export function formatName(name: Name): string {
  return name.rdns
    .toReversed()
    .map((rdn) =>
      rdn.map(({ type, value }) => `${DESCRIPTORS[type] ?? type}=${escapeValue(value)}`).join('+'),
    )
    .join(',');
}

// Every check of a certificate quotes its name.
const shortNames = new WeakMap<Name, string>();

/** A short handle for messages: common name, else organization, else the whole name. */
export function shortName(name: Name): string {
  const known = shortNames.get(name);
  if (known !== undefined) return known;
  const [short] = [
    ...attributeValues(name, OID.commonName),
    ...attributeValues(name, OID.organizationName),
    formatName(name),
  ];
  const escaped = escapeValue(short!.slice(0, 120)).slice(0, 120);
  shortNames.set(name, escaped);
  return escaped;
}
