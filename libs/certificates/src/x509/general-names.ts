import { contents, DerError, type DerNode, readOid } from '../der/der-reader.ts';
import { type Name, readName } from './names.ts';

/** The kinds of GeneralName (RFC 5280 §4.2.1.6) by their context tag. */
const KIND_OF_TAG = {
  0xa0: 'otherName',
  0x81: 'rfc822Name',
  0x82: 'dNSName',
  0xa3: 'x400Address',
  0xa4: 'directoryName',
  0xa5: 'ediPartyName',
  0x86: 'uniformResourceIdentifier',
  0x87: 'iPAddress',
  0x88: 'registeredID',
} as const;

export type GeneralNameKind = (typeof KIND_OF_TAG)[keyof typeof KIND_OF_TAG];

export interface GeneralName {
  readonly kind: GeneralNameKind;
  /** Text of rfc822Name, dNSName and uniformResourceIdentifier; else empty. */
  readonly text: string;
  /** Octets of an iPAddress. */
  readonly octets: Uint8Array;
  /** The directoryName. */
  readonly name: Name | undefined;
}

const isKnownTag = (tag: number): tag is keyof typeof KIND_OF_TAG => tag in KIND_OF_TAG;

/** Reads one GeneralName; its text is checked by `checkGeneralName` or by the rules for name constraints. */
export function readGeneralName(node: DerNode): GeneralName {
  if (!isKnownTag(node.tag)) throw new DerError('a general name of an unknown kind');
  const kind = KIND_OF_TAG[node.tag];
  const octets = contents(node);
  if (kind === 'otherName') readOid(node.children[0], 'type of an otherName');
  if (kind === 'directoryName' && node.children.length !== 1)
    throw new DerError('a directoryName that is not one name');
  const isText = kind === 'rfc822Name' || kind === 'dNSName' || kind === 'uniformResourceIdentifier';
  if (isText && octets.some((octet) => octet > 0x7f || octet < 0x20))
    throw new DerError(`${kind} that is not printable ASCII`);
  return {
    kind,
    text: isText ? Buffer.from(octets).toString('latin1') : '',
    octets,
    name: kind === 'directoryName' ? readName(node.children[0]!) : undefined,
  };
}

/** GeneralNames: one or more. */
export function readGeneralNames(node: DerNode, what: string): readonly GeneralName[] {
  if (node.children.length === 0) throw new DerError(`${what} without a name`);
  return node.children.map(readGeneralName);
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

/** A domain name in preferred name syntax (RFC 1034 §3.5, RFC 1123 §2.1), which an IPv4 address is not. */
export function isDomainName(text: string): boolean {
  const labels = text.split('.');
  return text.length <= 253 && labels.every((part) => LABEL.test(part)) && !/^\d+$/.test(labels.at(-1)!);
}

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;

/** A Mailbox of RFC 5321 §4.1.2 with a dot-string or quoted local part and a domain. */
export function isMailbox(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const isQuoted = /^"([^"\\]|\\.)*"$/.test(local);
  return (
    at > 0 && local.length <= 64 && (isQuoted || LOCAL_PART.test(local)) && isDomainName(text.slice(at + 1))
  );
}

/** Host of a URI with an authority; undefined when there is none. */
export function hostOfUri(text: string): string | undefined {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return undefined;
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return host === '' ? undefined : host;
}

/** Returns the fault of a name in a subjectAltName (RFC 5280 §4.2.1.6); undefined without one. */
export function faultOfGeneralName(name: GeneralName): string | undefined {
  switch (name.kind) {
    case 'dNSName':
      return isDomainName(name.text.replace(/^\*\./, ''))
        ? undefined
        : `dNSName ${JSON.stringify(name.text)} is not in preferred name syntax`;
    case 'rfc822Name':
      return isMailbox(name.text) ? undefined : `rfc822Name ${JSON.stringify(name.text)} is not a mailbox`;
    case 'uniformResourceIdentifier':
      return /^[a-z][a-z0-9+.-]*:./i.test(name.text)
        ? undefined
        : `uniformResourceIdentifier ${JSON.stringify(name.text)} is not an absolute URI`;
    case 'iPAddress':
      return name.octets.length === 4 || name.octets.length === 16
        ? undefined
        : `iPAddress of ${name.octets.length} octets`;
    case 'directoryName':
      return name.name!.rdns.length > 0 ? undefined : 'directoryName is empty';
    case 'otherName':
    case 'x400Address':
    case 'ediPartyName':
    case 'registeredID':
      return undefined;
  }
}
