// Mints qualified website certificates (QWACs) of the local sandbox.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as x509 from '@peculiar/x509';
import { issueCertificate, type IssuerFiles, readIssuer } from './issue-certificate.ts';
import { PSP_ROLES, type PspRole, qcStatements } from './qc-statements.ts';

/** ETSI EN 319 411-2: qualified certificate for website authentication. */
const POLICY_QCP_WEB = '0.4.0.194112.1.4';
const ORGANIZATION_IDENTIFIER = '2.5.4.97';
/** PSD + country + authority + number (TS 119 495 §5.2.1). */
const IDENTIFIER_FORM = /^PSD(?<country>[A-Z]{2})-(?<authority>[A-Z]{2,8})-(?<number>[0-9A-Za-z.-]{1,40})$/;
const LONGEST_DAYS = 825;
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

/** A minted QWAC: the chain without the root (leaf first) and the PKCS #8 key, both PEM. */
export interface Qwac {
  chainPem: string;
  keyPem: string;
  notAfter: Date;
}

/** The wrong word in a mint request, in words for the person who asked. */
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

/**
 * Issues a QWAC as EN 319 412-4 and TS 119 495 want it: QcCompliance, QcType web, PSD2 statement with roles,
 * organizationIdentifier in the subject, usable as TLS client and server.
 * @throws MintRefused for a malformed identifier, no role, or a validity outside 1–825 days.
 */
export async function mintQwac(request: QwacRequest, issuerFiles: IssuerFiles, at: Date): Promise<Qwac> {
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

  const issuer = await readIssuer(issuerFiles);
  const authorityId = `${form.country}-${form.authority}`;
  const dnsName = request.dnsName ?? `${slug(request.name)}.example`;
  const statements = qcStatements([...new Set(request.roles)], {
    id: authorityId,
    name: AUTHORITIES[authorityId] ?? `Competent authority ${authorityId}`,
  });
  const issued = await issueCertificate({
    subject: new x509.Name([
      { C: [{ printableString: form.country! }] },
      { O: [{ utf8String: request.name }] },
      { [ORGANIZATION_IDENTIFIER]: [{ utf8String: request.organizationIdentifier }] },
      { CN: [{ utf8String: dnsName }] },
    ]),
    days: request.days,
    at,
    issuer,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      new x509.CertificatePolicyExtension([POLICY_QCP_WEB]),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }]),
      new x509.Extension(statements.oid, false, Uint8Array.from(statements.der)),
    ],
  });
  return {
    chainPem: issued.certificatePem + issuer.certificate.toString('pem') + '\n',
    keyPem: issued.keyPem,
    notAfter: issued.certificate.notAfter,
  };
}

const USAGE = `Mints a QWAC of the local sandbox, for your own experiments.

  npm run qwac -- mint [options]

  --name NAME            legal name of the provider             (Example TPP)
  --organization ID      organizationIdentifier                 (PSDDK-DFSA-12345678)
  --roles LIST           of ${Object.keys(PSP_ROLES).join(', ')}       (PSP_AI,PSP_PI)
  --days N               validity, at most ${LONGEST_DAYS}                  (90)
  --dns NAME             host name in the certificate           (from the name)
  --out FOLDER           where chain.pem and key.pem are written (.local/qwac/<name>)
  --data FOLDER          data folder of the local stack         (.local)
  --help

The chain holds the leaf and the sandbox's issuing CA; the key is not encrypted and readable only by you.
The sandbox CA is made by the first \`npm start\`.`;

const root = join(import.meta.dirname, '../..');

interface RunningStack {
  registrationUrl: string;
  serverCa: string;
}

async function runningStack(data: string): Promise<RunningStack | undefined> {
  const file = join(data, 'stack.json');
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as RunningStack) : undefined;
}

function rolesFrom(text: string): PspRole[] {
  return text.split(',').map((word) => {
    const role = word.trim();
    if (!Object.hasOwn(PSP_ROLES, role))
      throw new MintRefused(`role "${role}" is not one of ${Object.keys(PSP_ROLES).join(', ')}`);
    return role as PspRole;
  });
}

/** `npm run qwac -- mint …`: writes chain.pem and key.pem, prints a call that works. Resolves to the exit status. */
export async function mintCommand(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string', default: 'Example TPP' },
      organization: { type: 'string', default: 'PSDDK-DFSA-12345678' },
      roles: { type: 'string', default: 'PSP_AI,PSP_PI' },
      days: { type: 'string', default: '90' },
      dns: { type: 'string' },
      out: { type: 'string' },
      data: { type: 'string', default: join(root, '.local') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const data = resolve(values.data);
  const issuer = { certificate: join(data, 'ca/issuing-ca.pem'), key: join(data, 'ca/issuing-ca-key.pem') };
  if (!existsSync(issuer.key))
    throw new MintRefused(`no sandbox CA in ${join(data, 'ca')}: start the stack once with \`npm start\``);
  const out = resolve(values.out ?? join(data, 'qwac', slug(values.name)));
  const files = { chain: join(out, 'chain.pem'), key: join(out, 'key.pem') };
  for (const file of Object.values(files))
    if (existsSync(file)) throw new MintRefused(`${file} exists already: choose another folder with --out`);

  const roles = rolesFrom(values.roles);
  const qwac = await mintQwac(
    {
      name: values.name,
      organizationIdentifier: values.organization,
      roles,
      days: Number(values.days),
      ...(values.dns ? { dnsName: values.dns } : {}),
    },
    issuer,
    new Date(),
  );
  await mkdir(out, { recursive: true, mode: 0o700 });
  await writeFile(files.key, qwac.keyPem, { mode: 0o600, flag: 'wx' });
  await writeFile(files.chain, qwac.chainPem, { flag: 'wx' });

  const stack = await runningStack(data);
  const shown = (file: string): string => {
    const short = relative(process.cwd(), file);
    return short.startsWith('..') ? file : short;
  };
  const body = JSON.stringify({ name: values.name, roles, redirectUris: ['http://localhost:3000/callback'] });
  console.log(`${values.name} (${values.organization}), ${roles.join(' ')}, until ${qwac.notAfter.toISOString()}
  chain  ${shown(files.chain)}
  key    ${shown(files.key)}

Register with it${stack ? '' : ' (when the stack runs: npm start)'}:

curl --cacert ${shown(stack?.serverCa ?? join(data, 'ca/root.pem'))} --cert ${shown(files.chain)} --key ${shown(files.key)} \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", String.raw`'\''`)}' \\
  ${stack?.registrationUrl ?? 'https://localhost:8444'}/tpp`);
  return 0;
}
