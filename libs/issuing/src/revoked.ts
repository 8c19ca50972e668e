// Revocations of the sandbox's CAs: one file per certificate in `revoked/` beside their keys. A finished file is linked to its
// name, so that of two concurrent revocations one is first, and a kill leaves no partial file.
import { hash, X509Certificate as NodeCertificate, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateParts } from './certificate-parts.ts';
import { authorityFiles } from './sandbox-ca.ts';

/** Reasons of a final revocation (RFC 5280 §5.3.1). No revocation is withdrawn here. */
export const REVOCATION_REASONS = {
  unspecified: 0,
  keyCompromise: 1,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  privilegeWithdrawn: 9,
} as const;
export type RevocationReason = keyof typeof REVOCATION_REASONS;

/** A stored revocation. */
export interface Revocation {
  /** ISO 8601, whole seconds. */
  readonly at: string;
  readonly reason: RevocationReason;
}

/** A certificate that this sandbox cannot revoke, in words for the user. */
export class RevocationRefused extends Error {
  override readonly name = 'RevocationRefused';
}

const folderOf = (ca: string): string => join(ca, 'revoked');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Names an issuer by its key. `key` is the key alone, as OCSP hashes it. */
const issuerId = (key: Uint8Array): string => hash('sha256', key, 'hex').slice(0, 32);

/** Identifies a certificate by issuer and serial number. `serial` is the whole INTEGER. */
export interface RevokedKey {
  readonly issuerKey: Uint8Array;
  readonly serial: Uint8Array;
}

// A serial number of a forged request may be longer than a file name.
const fileOf = (ca: string, { issuerKey, serial }: RevokedKey): string =>
  join(folderOf(ca), `${issuerId(issuerKey)}-${hex(serial).slice(0, 100)}.json`);

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The revocation of a certificate; undefined: it is not revoked. `ca` is the folder of the sandbox's CAs. */
export async function findRevocation(ca: string, key: RevokedKey): Promise<Revocation | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(ca, key), 'utf8')) as Revocation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** All revocations of an issuer, by serial number (whole INTEGER). */
export async function listRevocations(
  ca: string,
  issuerKey: Uint8Array,
): Promise<readonly (Revocation & { readonly serial: Uint8Array })[]> {
  const form = new RegExp(String.raw`^${issuerId(issuerKey)}-([0-9a-f]+)\.json$`);
  const names = await readdir(folderOf(ca)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const serials = names.flatMap((name) => form.exec(name)?.[1] ?? []);
  return Promise.all(
    serials.map(async (text) => {
      const serial = Buffer.from(text, 'hex');
      return { serial, ...(await findRevocation(ca, { issuerKey, serial }))! };
    }),
  );
}

function readCertificateOf(file: string): { node: NodeCertificate; key: Uint8Array } {
  const node = new NodeCertificate(readFileSync(file));
  return { node, key: certificateParts(node.raw).key };
}

/** The CA of the sandbox that issued a certificate. */
function issuerOf(ca: string, der: Uint8Array): { node: NodeCertificate; key: Uint8Array } {
  const certificate = new NodeCertificate(der);
  const { root, issuingCa } = authorityFiles(ca);
  const authorities = [root, issuingCa].map((files) => readCertificateOf(files.certificate));
  const issuer = authorities.find(
    ({ node }) => certificate.checkIssued(node) && certificate.verify(node.publicKey),
  );
  if (!issuer) throw new RevocationRefused("it was not issued by this sandbox's CAs");
  const own = authorities.some(({ key }) => Buffer.compare(key, certificateParts(der).key) === 0);
  if (own)
    throw new RevocationRefused(
      'it is a CA of the sandbox itself, without which nothing is left: npm start -- --reset makes new ones',
    );
  return issuer;
}

/**
 * Revokes a certificate of the sandbox for good. Revoking it again changes nothing, whatever the reason.
 * @param certificate DER
 * @returns the valid revocation, and whether it existed before
 * @throws RevocationRefused; DerError for bytes that are no certificate
 */
export async function revoke(options: {
  /** Folder of the sandbox's CAs. */
  readonly ca: string;
  readonly certificate: Uint8Array;
  readonly reason: RevocationReason;
  readonly at: Date;
}): Promise<Revocation & { readonly isNew: boolean }> {
  const { ca, certificate, reason, at } = options;
  if (!existsSync(authorityFiles(ca).issuingCa.certificate))
    throw new RevocationRefused(`no sandbox CA in ${ca}: start the stack once with npm start`);
  const { serial } = certificateParts(certificate);
  const key: RevokedKey = { serial, issuerKey: issuerOf(ca, certificate).key };
  const revocation: Revocation = { at: at.toISOString().replace(/\.\d+Z$/, 'Z'), reason };
  await mkdir(folderOf(ca), { recursive: true, mode: 0o700 });
  const file = fileOf(ca, key);
  const draft = `${file}.${randomUUID()}.draft`;
  await writeFile(draft, `${JSON.stringify(revocation)}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, file);
    return { ...revocation, isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { ...(await findRevocation(ca, key))!, isNew: false };
  } finally {
    await rm(draft, { force: true });
  }
}
