// The certificate authority of a local sandbox: root → issuing CA → server certificate of the edge.
import 'reflect-metadata';
import { X509Certificate as NodeCertificate, createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { issueCertificate, type IssuerFiles, readIssuer } from '../qwac/issue-certificate.ts';
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

function caName(commonName: string): x509.Name {
  return new x509.Name([
    { C: [{ printableString: 'DK' }] },
    { O: [{ utf8String: 'Kontoport Sandbox' }] },
    { CN: [{ utf8String: commonName }] },
  ]);
}

function caExtensions(pathLength: number): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(true, pathLength, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
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
  const [root, issuingCa, server] = [files('root'), files('issuing-ca'), files('server')];
  const renewed: (keyof typeof LIFETIME)[] = [];
  const good = (kind: keyof typeof LIFETIME, own: IssuerFiles, issuer: IssuerFiles): boolean => {
    if (
      renewed.length === 0 &&
      reusable(own, issuer, new Date(at.getTime() + LIFETIME[kind].renewBefore * DAY_MS))
    )
      return true;
    renewed.push(kind);
    return false;
  };

  if (!good('root', root, root)) {
    const issued = await issueCertificate({
      subject: caName('Kontoport Sandbox Root CA'),
      days: LIFETIME.root.days,
      at,
      extensions: caExtensions(1),
    });
    await writeFileAtomically(root.key, issued.keyPem, 0o600);
    await writeFileAtomically(root.certificate, issued.certificatePem);
  }
  if (!good('issuing', issuingCa, root)) {
    const issued = await issueCertificate({
      subject: caName('Kontoport Sandbox QWAC CA'),
      days: LIFETIME.issuing.days,
      at,
      issuer: await readIssuer(root),
      extensions: caExtensions(0),
    });
    await writeFileAtomically(issuingCa.key, issued.keyPem, 0o600);
    await writeFileAtomically(issuingCa.certificate, issued.certificatePem);
  }
  if (!good('server', server, issuingCa)) {
    const issuer = await readIssuer(issuingCa);
    const issued = await issueCertificate({
      subject: new x509.Name([{ CN: [{ utf8String: 'localhost' }] }]),
      days: LIFETIME.server.days,
      at,
      issuer,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    });
    await writeFileAtomically(server.key, issued.keyPem, 0o600);
    await writeFileAtomically(
      server.certificate,
      `${issued.certificatePem}${issuer.certificate.toString('pem')}\n`,
    );
  }

  const anchor = join(trustAnchors, 'kontoport-sandbox-root.pem');
  const rootPem = readFileSync(root.certificate, 'utf8');
  if (!existsSync(anchor) || readFileSync(anchor, 'utf8') !== rootPem)
    await writeFileAtomically(anchor, rootPem);
  return { root, issuingCa, server, renewed };
}
