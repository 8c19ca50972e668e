import { type GeneralName, hostOfUri, isDomainName, isMailbox } from '../x509/general-names.ts';
import type { Name } from '../x509/names.ts';

/** Returns the fault in the base of a subtree (RFC 5280 §4.2.1.10); undefined without one. */
export function faultOfConstraint(base: GeneralName): string | undefined {
  const { kind, text, octets } = base;
  const shown = JSON.stringify(text);
  switch (kind) {
    case 'dNSName':
      return text === '' || isDomainName(text) ? undefined : `${shown} is not a domain name`;
    case 'rfc822Name': {
      const isHost = isDomainName(text.replace(/^\./, ''));
      return isHost || isMailbox(text) ? undefined : `${shown} is neither mailbox nor host nor domain`;
    }
    case 'uniformResourceIdentifier':
      return isDomainName(text.replace(/^\./, '')) ? undefined : `${shown} is neither host nor domain`;
    case 'iPAddress':
      return isCidr(octets) ? undefined : 'iPAddress is not an address with a prefix mask';
    case 'directoryName':
    case 'otherName':
    case 'x400Address':
    case 'ediPartyName':
    case 'registeredID':
      return undefined;
  }
}

function isCidr(octets: Uint8Array): boolean {
  if (octets.length !== 8 && octets.length !== 32) return false;
  const mask = octets.subarray(octets.length / 2);
  const bits = [...mask].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(bits);
}

const within = (domain: string, tree: string) =>
  tree === '' || domain === tree || domain.endsWith(`.${tree}`);

/** A host under a constraint for mail or URIs: `.tree` means every host beneath, `host` that very host. */
const hostMatches = (host: string, constraint: string) =>
  constraint.startsWith('.')
    ? host.endsWith(constraint) && host.length > constraint.length
    : host === constraint;

/** A wildcard covers every name that it can match: it is within a subtree if all are, and touches it if any is. */
function matchesDomain(name: string, tree: string, list: 'permitted' | 'excluded'): boolean {
  const [domain, constraint] = [name.toLowerCase(), tree.toLowerCase()];
  if (!domain.startsWith('*.')) return within(domain, constraint);
  const base = domain.slice(2);
  if (within(base, constraint)) return true;
  const above = constraint.slice(0, -base.length - 1);
  return list === 'excluded' && constraint === `${above}.${base}` && above !== '' && !above.includes('.');
}

function matchesMailbox(mailbox: string, constraint: string): boolean {
  const split = (text: string) => {
    const at = text.lastIndexOf('@');
    return { local: text.slice(0, Math.max(at, 0)), host: text.slice(at + 1).toLowerCase() };
  };
  const [name, wanted] = [split(mailbox), split(constraint)];
  if (constraint.includes('@')) return name.local === wanted.local && name.host === wanted.host;
  return hostMatches(name.host, wanted.host);
}

function matchesAddress(address: Uint8Array, subtree: Uint8Array): boolean {
  if (subtree.length !== address.length * 2) return false;
  return address.every((octet, i) => ((octet ^ subtree[i]!) & subtree[address.length + i]!) === 0);
}

function matchesDirectory(name: Name, base: Name): boolean {
  return base.keys.length <= name.keys.length && base.keys.every((key, i) => key === name.keys[i]);
}

/** Undefined: the constraint cannot be applied to this name, so the name is refused. */
function matches(name: GeneralName, base: GeneralName, list: 'permitted' | 'excluded'): boolean | undefined {
  switch (name.kind) {
    case 'dNSName':
      return matchesDomain(name.text, base.text, list);
    case 'rfc822Name':
      return matchesMailbox(name.text, base.text);
    case 'uniformResourceIdentifier': {
      const host = hostOfUri(name.text)?.toLowerCase();
      return host !== undefined && isDomainName(host)
        ? hostMatches(host, base.text.toLowerCase())
        : undefined;
    }
    case 'iPAddress':
      return matchesAddress(name.octets, base.octets);
    case 'directoryName':
      return matchesDirectory(name.name!, base.name!);
    case 'otherName':
    case 'x400Address':
    case 'ediPartyName':
    case 'registeredID':
      return undefined;
  }
}

function describe(name: GeneralName): string {
  const text = name.text || (name.kind === 'iPAddress' ? [...name.octets].join('.') : '');
  return text ? `${name.kind} ${text}` : name.kind;
}

export interface NameConstraints {
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
}

/** Returns the reason why `names` break the constraints (RFC 5280 §6.1.3 b, c); undefined without one. */
export function violationOf(constraints: NameConstraints, names: readonly GeneralName[]): string | undefined {
  for (const name of names) {
    const ofKind = (list: readonly GeneralName[]) => list.filter((base) => base.kind === name.kind);
    const results = {
      permitted: ofKind(constraints.permitted).map((base) => matches(name, base, 'permitted')),
      excluded: ofKind(constraints.excluded).map((base) => matches(name, base, 'excluded')),
    };
    const all = [...results.permitted, ...results.excluded];
    if (all.includes(undefined)) return `${describe(name)} cannot be held against the constraints`;
    if (results.excluded.includes(true)) return `${describe(name)} is in an excluded subtree`;
    if (results.permitted.length > 0 && !results.permitted.includes(true))
      return `${describe(name)} is in no permitted subtree`;
  }
  return undefined;
}

/** Comparisons that `violationOf` may need at most; one with a long name counts once for every 256 characters. */
export function constraintWork(constraints: NameConstraints, names: readonly GeneralName[]): number {
  const lengths = names.map(
    ({ text, octets, name }) => text.length + octets.length + (name?.key.length ?? 0),
  );
  const weight = lengths.reduce((sum, length) => sum + Math.ceil((length + 1) / 256), 0);
  return (constraints.permitted.length + constraints.excluded.length) * weight;
}
