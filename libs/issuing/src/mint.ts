// Mints qualified website certificates (QWACs) of the local sandbox.
import 'reflect-metadata';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { OID } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import type { Authority, Deviation } from './fault.ts';
import {
  certificatePem,
  type CertificateRequest,
  draftCertificate,
  type Issuer,
  keyPem,
  presentedWith,
  signDraft,
} from './issue-certificate.ts';
import { type PspRole, qcStatementsExtension, qwacStatements } from './qwac-statements.ts';

/** PSD + country + authority + number (TS 119 495 §5.2.1). */
const IDENTIFIER_FORM = /^PSD(?<country>[A-Z]{2})-(?<authority>[A-Z]{2,8})-(?<number>[0-9A-Za-z.-]{1,40})$/;
/** Maximum validity, in days. */
export const LONGEST_DAYS = 825;
const AUTHORITIES: Record<string, string> = {
  'DK-DFSA': 'Danish Financial Supervisory Authority',
  'NO-FSA': 'The Financial Supervisory Authority of Norway',
  'SE-FINA': 'Swedish Financial Supervisory Authority',
};

export interface QwacRequest {
  /** Legal name of the provider; becomes its consent display name. */
  name: string;
  /** For example `PSDDK-DFSA-27541826`. */
  organizationIdentifier: string;
  roles: readonly PspRole[];
  days: number;
  /** Absent: made from the name. */
  dnsName?: string;
}

/** A minted QWAC: the chain without the root, leaf first, in DER and PEM, and the PKCS #8 key as PEM. */
export interface Qwac {
  readonly chain: readonly Uint8Array[];
  readonly chainPem: string;
  readonly keyPem: string;
  readonly notAfter: Date;
}

/** A fault in a mint request, in words for its author. */
export class MintRefused extends Error {
  override readonly name = 'MintRefused';
}

/** `Nordlys Regnskab ApS` → `nordlys-regnskab-aps`. */
export function slug(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll('æ', 'ae')
    .replaceAll('ø', 'oe')
    .replaceAll('å', 'aa')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '');
  return (
    plain
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 50) || 'tpp'
  );
}

/** Checks the contents of a QWAC. @throws MintRefused */
export function checkRequest(request: QwacRequest): {
  readonly country: string;
  readonly authorityId: string;
} {
  const form = IDENTIFIER_FORM.exec(request.organizationIdentifier)?.groups;
  if (!form)
    throw new MintRefused(
      `organizationIdentifier "${request.organizationIdentifier}" is not of the form PSD<country>-<authority>-<number>, for example PSDDK-DFSA-27541826`,
    );
  if (request.roles.length === 0) throw new MintRefused('a QWAC needs at least one role');
  if (!Number.isInteger(request.days) || request.days < 1 || request.days > LONGEST_DAYS)
    throw new MintRefused(`days must be a whole number from 1 to ${LONGEST_DAYS}`);
  if (request.name.trim() === '' || request.name.length > 64)
    throw new MintRefused('the name must have 1 to 64 characters');
  return { country: form.country!, authorityId: `${form.country}-${form.authority}` };
}

/** The issuer, and the fault to mint. */
export interface MintOptions {
  readonly request: QwacRequest;
  /** The CA that issues valid certificates. */
  readonly issuer: Issuer;
  /** The CA above it. Only faults above the leaf need it. */
  readonly root?: Issuer;
  readonly at: Date;
  /** Absent: a valid certificate. A fault may need a temporary CA, whose key is discarded. */
  readonly fault?: Deviation;
}

/** The certificate by EN 319 412-4 and TS 119 495. */
function profileOf({ request, fault = {} }: MintOptions): Omit<CertificateRequest, 'at' | 'issuer'> {
  const { country, authorityId } = checkRequest(request);
  const dnsName = request.dnsName ?? `${slug(request.name)}.example`;
  const statements = qwacStatements([...new Set(request.roles)], {
    id: authorityId,
    name: AUTHORITIES[authorityId] ?? `Competent authority ${authorityId}`,
  });
  const { compliance, type, disclosure, psd2 } = statements;
  return {
    subject: new x509.Name([
      { C: [{ printableString: country }] },
      { O: [{ utf8String: request.name }] },
      { [OID.organizationIdentifier]: [{ utf8String: request.organizationIdentifier }] },
      { CN: [{ utf8String: dnsName }] },
    ]),
    days: request.days,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([OID.serverAuth, OID.clientAuth]),
      new x509.CertificatePolicyExtension([OID.qcpWeb]),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }]),
      qcStatementsExtension(fault.statements?.(statements) ?? [compliance, type, disclosure, psd2]),
    ],
    ...(fault.keyKind ? { keyKind: fault.keyKind } : {}),
  };
}

async function mintChain(options: MintOptions & { publicKey?: KeyObject }) {
  const { issuer: issuingCa, root, at, publicKey, fault = {} } = options;
  const profile = profileOf(options);
  const authority: Authority = (await fault.authority?.({ root, issuingCa, at })) ?? {
    issuer: issuingCa,
    presented: presentedWith(issuingCa),
  };
  const good = await draftCertificate({
    ...profile,
    at,
    ...(publicKey && { publicKey }),
    ...(authority.issuer ? { issuer: authority.issuer } : {}),
  });
  const draft = { ...good, ...fault.leaf?.(good) };
  const signed = signDraft(draft);
  const chain = [fault.afterSigning?.(signed) ?? signed, ...authority.presented];
  const { privateKey, notAfter } = draft;
  return { chain, chainPem: chain.map(certificatePem).join(''), notAfter, privateKey };
}

/**
 * Issues a QWAC by EN 319 412-4 and TS 119 495: QcCompliance, QcType web, PSD2 statement with roles,
 * organizationIdentifier in the subject, usable as TLS client and server. With a fault it issues one that is invalid in one
 * way, to show how Kontoport answers it.
 * @throws MintRefused for a malformed identifier, no role, or a validity outside 1–825 days.
 */
export async function mintQwac(options: MintOptions): Promise<Qwac> {
  const { privateKey, ...minted } = await mintChain(options);
  if (!privateKey) throw new Error('no key was made');
  return { ...minted, keyPem: keyPem(privateKey) };
}

/**
 * Issues a QWAC for a foreign key. Only the public key of the CSR (PKCS #10) counts; `request` names the subject.
 * @param csr PEM or DER
 * @throws MintRefused also for an unreadable CSR, or one with an invalid signature
 */
export async function certifyRequest(options: MintOptions, csr: Uint8Array): Promise<Omit<Qwac, 'keyPem'>> {
  const { privateKey: _, ...minted } = await mintChain({ ...options, publicKey: await publicKeyOf(csr) });
  return minted;
}

async function publicKeyOf(csr: Uint8Array): Promise<KeyObject> {
  let request: x509.Pkcs10CertificateRequest;
  let holds: boolean;
  try {
    const text = Buffer.from(csr).toString('latin1');
    request = new x509.Pkcs10CertificateRequest(text.includes('-----BEGIN') ? text : Uint8Array.from(csr));
    holds = await request.verify();
  } catch (error) {
    throw new MintRefused('it is no certificate request (PKCS #10) that can be read', { cause: error });
  }
  if (!holds) throw new MintRefused('the signature of the certificate request is invalid');
  return createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
}
