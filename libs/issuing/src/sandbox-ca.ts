// The certificate authority of a local sandbox: root → issuing CA → server certificate of the edge.
import 'reflect-metadata';
import { createPrivateKey, X509Certificate as NodeCertificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OID } from '@kontoport/certificates';
import * as x509 from '@peculiar/x509';
import {
  certificatePem as certificatePemOf,
  issueCertificate,
  type Issued,
  type Issuer,
  type IssuerFiles,
  readIssuer,
} from './issue-certificate.ts';
import { mintCa } from './mint-ca.ts';
import { writeFileAtomically } from './write-file.ts';

const DAY_MS = 86_400_000;

/** Validity, and how long before its end a certificate is replaced, in days. */
const LIFETIME = {
  root: { days: 3650, renewBefore: 365 },
  issuing: { days: 1825, renewBefore: 365 },
  server: { days: 90, renewBefore: 30 },
};

/** Absolute paths of PEM files; keys are readable by their owner only. */
export interface SandboxCa {
  root: IssuerFiles;
  issuingCa: IssuerFiles;
  /** The certificate file holds the chain without the root, as a TLS server sends it. */
  server: IssuerFiles;
  /** What this call made anew: empty when everything was still good. */
  renewed: readonly (keyof typeof LIFETIME)[];
}

/** True when both files exist, belong together, were issued by `issuer` and last long enough. */
function reusable(files: IssuerFiles, issuer: IssuerFiles, untilAfter: Date): boolean {
  if (!existsSync(files.certificate) || !existsSync(files.key)) return false;
  try {
    const certificate = new NodeCertificate(readFileSync(files.certificate));
    const authority = new NodeCertificate(readFileSync(issuer.certificate));
    return (
      certificate.validToDate > untilAfter &&
      certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key))) &&
      certificate.checkIssued(authority) &&
      certificate.verify(authority.publicKey)
    );
  } catch {
    return false; // unreadable or half written: made anew
  }
}

function issueServerCertificate(issuer: Issuer, at: Date): Promise<Issued> {
  return issueCertificate({
    subject: new x509.Name([{ CN: [{ utf8String: 'localhost' }] }]),
    days: LIFETIME.server.days,
    at,
    issuer,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([OID.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
}

/** A certificate of the sandbox: where it lies, under whom, and how it is made. */
interface Step {
  readonly kind: keyof typeof LIFETIME;
  readonly own: IssuerFiles;
  readonly issuer: IssuerFiles;
  readonly issue: () => Promise<Issued>;
}

function stepsOf({ root, issuingCa, server }: Omit<SandboxCa, 'renewed'>, at: Date): readonly Step[] {
  return [
    {
      kind: 'root',
      own: root,
      issuer: root,
      issue: () => mintCa({ name: 'Kontoport Sandbox Root CA', pathLength: 1, days: LIFETIME.root.days, at }),
    },
    {
      kind: 'issuing',
      own: issuingCa,
      issuer: root,
      issue: async () =>
        mintCa({
          name: 'Kontoport Sandbox QWAC CA',
          pathLength: 0,
          days: LIFETIME.issuing.days,
          at,
          issuer: await readIssuer(root),
        }),
    },
    {
      kind: 'server',
      own: server,
      issuer: issuingCa,
      issue: async () => issueServerCertificate(await readIssuer(issuingCa), at),
    },
  ];
}

/**
 * Makes what is missing, broken or about to expire at `at`, everything below a new certificate included, and
 * keeps the rest. The root also lies in the `trustAnchors` folder, which the services watch.
 */
export async function ensureSandboxCa(options: {
  folder: string;
  trustAnchors: string;
  at: Date;
}): Promise<SandboxCa> {
  const { folder, trustAnchors, at } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(trustAnchors, { recursive: true });
  const files = (name: string): IssuerFiles => ({
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}-key.pem`),
  });
  const made = { root: files('root'), issuingCa: files('issuing-ca'), server: files('server') };
  const renewed: (keyof typeof LIFETIME)[] = [];
  for (const { kind, own, issuer, issue } of stepsOf(made, at)) {
    const lasting = new Date(at.getTime() + LIFETIME[kind].renewBefore * DAY_MS);
    if (renewed.length === 0 && reusable(own, issuer, lasting)) continue;
    const { keyPem, certificatePem, presented } = await issue();
    await writeFileAtomically(own.key, keyPem, 0o600);
    await writeFileAtomically(
      own.certificate,
      kind === 'server' ? presented!.map(certificatePemOf).join('') : certificatePem,
    );
    renewed.push(kind);
  }

  const anchor = join(trustAnchors, 'kontoport-sandbox-root.pem');
  const rootPem = readFileSync(made.root.certificate, 'utf8');
  if (!existsSync(anchor) || readFileSync(anchor, 'utf8') !== rootPem)
    await writeFileAtomically(anchor, rootPem);
  return { ...made, renewed };
}
