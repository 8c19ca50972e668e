// What a named fault is, and the parts that faults are made of.
import 'reflect-metadata';
import { type CheckId, OID, derElement, TAG } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import { type Draft, type Issuer, type KeyKind, issueCertificate } from './issue-certificate.ts';
import type { QwacStatements } from './qc-statements.ts';

/** Who signs a QWAC, and the DER certificates presented after the leaf. No issuer: the leaf signs itself. */
export interface Authority {
  readonly issuer?: Issuer;
  readonly presented: readonly Uint8Array[];
}

/** The sandbox's authorities, for faults that lie above the leaf. */
export interface SandboxAuthorities {
  readonly root: Issuer;
  readonly issuingCa: Issuer;
  readonly at: Date;
}

/** How a QWAC or its chain differs from a good one. */
export interface Deviation {
  /** Absent: the sandbox's issuing CA, presented once. */
  readonly authority?: (sandbox: SandboxAuthorities) => Promise<Authority>;
  readonly keyKind?: KeyKind;
  /** The statements of the qcStatements extension, from the good ones. */
  readonly statements?: (good: QwacStatements) => readonly Uint8Array[];
  /** What the leaf says instead. */
  readonly leaf?: (good: Draft) => Partial<Draft>;
  /** The DER of the leaf after it was signed. */
  readonly afterSigning?: (der: Uint8Array) => Uint8Array;
}

/** A deviation that has a name. */
export interface Fault extends Deviation {
  /** Plain language: what is wrong with the certificate. */
  readonly summary: string;
  /** The check that fails first, or warns first. */
  readonly check: CheckId;
  /** Further checks that cannot pass when that one does not. */
  readonly also?: readonly CheckId[];
  /** Absent: the certificate is refused. Else it is accepted, and the warning stands in the verdict. */
  readonly result?: 'warning';
}

const DAY_MS = 86_400_000;

/** The moment `days` later. */
export const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/** Leaves an extension out. */
export function without(type: string): (good: Draft) => Partial<Draft> {
  return ({ extensions }) => ({ extensions: extensions.filter((extension) => extension.type !== type) });
}

/** Puts extensions in the place of those of the same type, or adds them. */
export function having(...added: readonly x509.Extension[]): (good: Draft) => Partial<Draft> {
  const types = new Set(added.map(({ type }) => type));
  return ({ extensions }) => ({
    extensions: [...extensions.filter(({ type }) => !types.has(type)), ...added],
  });
}

/** A critical extension by its DER value. */
export const critical = (type: string, value: Uint8Array): x509.Extension =>
  new x509.Extension(type, true, Uint8Array.from(value));

/** Critical name constraints that permit one DNS subtree (RFC 5280 §4.2.1.10). */
export function permittingDns(subtree: string): x509.Extension {
  const base = derElement(0x82, Buffer.from(subtree, 'latin1'));
  const permitted = derElement(0xa0, derElement(TAG.sequence, base));
  return critical(OID.nameConstraints, derElement(TAG.sequence, permitted));
}

/** A CA made for one fault. */
export interface OccasionalCa {
  readonly at: Date;
  /** Absent: self-signed, and so trusted by nobody. */
  readonly under?: Issuer;
  readonly name?: string;
  readonly keyKind?: KeyKind;
  readonly change?: (good: Draft) => Partial<Draft>;
}

/** Issues a CA that may sign leaves, for one year; its key stays in memory. */
export function occasionalCa({ at, under, name, keyKind, change }: OccasionalCa): Promise<Issuer> {
  const request = {
    subject: new x509.Name([
      { C: [{ printableString: 'DK' }] },
      { O: [{ utf8String: 'Kontoport Sandbox' }] },
      { CN: [{ utf8String: name ?? 'Kontoport Sandbox CA with a fault' }] },
    ]),
    days: 365,
    at,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
    ...(under ? { issuer: under } : {}),
    ...(keyKind ? { keyKind } : {}),
  };
  return issueCertificate(request, change);
}

/** DER of an issuer's certificate. */
export const derOf = ({ certificate }: Issuer): Uint8Array => new Uint8Array(certificate.rawData);

/** A CA for the occasion under the sandbox's root issues the leaf. */
export function issuedUnderRoot(
  ca: Pick<OccasionalCa, 'change' | 'keyKind'>,
): (sandbox: SandboxAuthorities) => Promise<Authority> {
  return async ({ root, at }) => {
    const issuer = await occasionalCa({ ...ca, under: root, at });
    return { issuer, presented: [derOf(issuer)] };
  };
}
