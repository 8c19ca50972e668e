// The type of a named fault, and the parts of faults.
import 'reflect-metadata';
import { type CheckId, derElement, OID, TAG } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import type { Draft, Issuer, KeyKind } from './issue-certificate.ts';
import { type CaRequest, mintCa } from './mint-ca.ts';
import type { QwacStatements } from './qwac-statements.ts';

/** The signer of a QWAC, and the DER certificates presented after the leaf. Without an issuer the leaf is self-signed. */
export interface Authority {
  readonly issuer?: Issuer;
  readonly presented: readonly Uint8Array[];
}

/** The sandbox's authorities, for faults that lie above the leaf. */
export interface SandboxAuthorities {
  readonly root: Issuer | undefined;
  readonly issuingCa: Issuer;
  readonly at: Date;
}

/** The differences of a QWAC or its chain from a valid one. */
export interface Deviation {
  /** Absent: the sandbox's issuing CA, presented once. */
  readonly authority?: (sandbox: SandboxAuthorities) => Promise<Authority>;
  readonly keyKind?: KeyKind;
  /** Changes the statements of the qcStatements extension. */
  readonly statements?: (good: QwacStatements) => readonly Uint8Array[];
  /** Fields of the leaf to replace. */
  readonly leaf?: (good: Draft) => Partial<Draft>;
  /** Changes the DER of the leaf after signing. */
  readonly afterSigning?: (der: Uint8Array) => Uint8Array;
}

/** A named fault. */
export interface Fault extends Deviation {
  /** Plain language: what is wrong with the certificate. */
  readonly summary: string;
  /** The check that fails first, or warns first. */
  readonly check: CheckId;
  /** Further checks that fail with that one. */
  readonly also?: readonly CheckId[];
  /** Absent: the certificate is refused. Present: it is accepted, with a warning in the verdict. */
  readonly result?: 'warning';
}

const DAY_MS = 86_400_000;

/** The moment `days` later. */
export const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/** Removes an extension. */
export function without(type: string): (good: Draft) => Partial<Draft> {
  return ({ extensions }) => ({ extensions: extensions.filter((extension) => extension.type !== type) });
}

/** Replaces extensions of the same type, or adds them. */
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

/** The name of a CA for one fault. */
export const FAULTY_CA = 'Kontoport Sandbox CA with a fault';

/**
 * The sandbox's root.
 * @throws TypeError when the fault is minted without it
 */
export function rootOf({ root }: SandboxAuthorities): Issuer {
  if (root === undefined) throw new TypeError('this fault lies above the leaf: it needs the root');
  return root;
}

/** Makes a temporary CA under the sandbox's root that issues the leaf. */
export function issuedUnderRoot(
  ca: Pick<CaRequest, 'change' | 'keyKind'>,
): (sandbox: SandboxAuthorities) => Promise<Authority> {
  return async (sandbox) => {
    const issuer = await mintCa({ ...ca, name: FAULTY_CA, issuer: rootOf(sandbox), at: sandbox.at });
    return { issuer, presented: [issuer.der] };
  };
}
