// The certificate authority of a local sandbox: root → issuing CA → server certificate of the edge.
import { createPrivateKey, createPublicKey, X509Certificate as NodeCertificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  certificatePem as certificatePemOf,
  type Issued,
  type IssuerFiles,
  type KeyPair,
  readIssuer,
} from './issue-certificate.ts';
import { mintCa } from './mint-ca.ts';
import { mintTls } from './mint-tls.ts';
import type { RevocationSources } from './revocation-sources.ts';
import { writeFileAtomically } from './write-file.ts';

const DAY_MS = 86_400_000;

/** Validity, and the time before its end when a certificate is replaced, in days. */
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
  /** The certificates that this call created. Empty if all were still valid. */
  renewed: readonly (keyof typeof LIFETIME)[];
}

/** The CAs in a sandbox's folder, and their revocation sources, once known. */
export function authorityFiles(folder: string): Pick<SandboxCa, 'root' | 'issuingCa'> {
  const responder = responderOf(folder);
  const files = (name: string): IssuerFiles => ({
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}-key.pem`),
    ...(responder && { sources: { ocsp: `${responder}/ocsp`, crl: `${responder}/${name}.crl` } }),
  });
  return { root: files('root'), issuingCa: files('issuing-ca') };
}

const responderFile = (folder: string): string => join(folder, 'responder.json');

/** The last origin of the responder of a sandbox's folder. Its certificates name it. */
export function responderOf(folder: string): string | undefined {
  const file = responderFile(folder);
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { origin: string }).origin;
}

async function keepResponder(folder: string, origin: string): Promise<void> {
  if (responderOf(folder) !== origin)
    await writeFileAtomically(responderFile(folder), `${JSON.stringify({ origin })}\n`);
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

/** Whether a certificate names this OCSP responder. */
export function namesResponder(certificate: Uint8Array, { ocsp }: RevocationSources): boolean {
  const { infoAccess } = new NodeCertificate(certificate);
  return infoAccess?.split('\n').includes(`OCSP - URI:${ocsp}`) ?? false;
}

function keysOf({ key }: IssuerFiles): KeyPair {
  const privateKey = createPrivateKey(readFileSync(key));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** A certificate of the sandbox: its file, its issuer, and how to create it. */
interface Step {
  readonly kind: keyof typeof LIFETIME;
  readonly own: IssuerFiles;
  readonly issuer: IssuerFiles;
  /** Creates it with these keys, or with new ones. */
  readonly issue: (keys?: KeyPair) => Promise<Issued>;
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
      issue: async (keys) =>
        mintCa({
          ...(keys && { keys }),
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
      issue: async () =>
        mintTls({
          name: 'localhost',
          use: { server: ['localhost', '127.0.0.1'] },
          issuer: await readIssuer(issuingCa),
          days: LIFETIME.server.days,
          at,
        }),
    },
  ];
}

/**
 * Creates what is missing, broken or about to expire at `at`, with everything below a new certificate, and keeps the rest.
 * The root is also in the `trustAnchors` folder, which the services watch. New certificates name `responder`, an origin. An
 * issuing CA that names another one gets a new certificate for its key, so that its certificates stay valid.
 */
export async function ensureSandboxCa(options: {
  folder: string;
  trustAnchors: string;
  at: Date;
  responder?: string;
}): Promise<SandboxCa> {
  const { folder, trustAnchors, at, responder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(trustAnchors, { recursive: true });
  if (responder !== undefined) await keepResponder(folder, responder);
  const server = { certificate: join(folder, 'server.pem'), key: join(folder, 'server-key.pem') };
  const made = { ...authorityFiles(folder), server };
  const renewed: (keyof typeof LIFETIME)[] = [];
  for (const { kind, own, issuer, issue } of stepsOf(made, at)) {
    const lasting = new Date(at.getTime() + LIFETIME[kind].renewBefore * DAY_MS);
    const isGood = renewed.length === 0 && reusable(own, issuer, lasting);
    const { sources } = issuer;
    const isAsked = kind === 'issuing' && sources !== undefined;
    if (isGood && (!isAsked || namesResponder(readFileSync(own.certificate), sources))) continue;
    const { keyPem, certificatePem, presented } = await issue(isGood ? keysOf(own) : undefined);
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
