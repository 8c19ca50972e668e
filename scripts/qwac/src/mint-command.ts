// npm run qwac -- mint: writes a QWAC of the local sandbox, good or with one named fault.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type Fault,
  faultList,
  type FaultName,
  FAULTS,
  isFaultName,
  type IssuerFiles,
  LONGEST_DAYS,
  mintQwac,
  MintRefused,
  PSP_ROLES,
  type PspRole,
  type Qwac,
  type QwacRequest,
  readIssuer,
  slug,
} from '@kontoport/issuing';

const USAGE = `Mints a QWAC of the local sandbox, for your own experiments.

  npm run qwac -- mint [options]

  --name NAME            legal name of the provider             (Example TPP)
  --organization ID      organizationIdentifier                 (PSDDK-DFSA-12345678)
  --roles LIST           of ${PSP_ROLES.join(', ')}       (PSP_AI,PSP_PI)
  --days N               validity, at most ${LONGEST_DAYS}                  (90)
  --dns NAME             host name in the certificate           (from the name)
  --out FOLDER           where chain.pem and key.pem are written (.local/qwac/<name>[-<fault>])
  --data FOLDER          data folder of the local stack         (.local)
  --fault NAME           a certificate with this one fault, which must be refused or warned about
  --list-faults          all faults, and the check of each
  --help

The chain holds the leaf and the sandbox's issuing CA; the key is not encrypted and readable only by you.
The sandbox CA is made by the first \`npm start\`.`;

const ROOT = join(import.meta.dirname, '../../..');

interface RunningStack {
  registrationUrl: string;
  serverCa: string;
}

async function runningStack(data: string): Promise<RunningStack | undefined> {
  const file = join(data, 'stack.json');
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as RunningStack) : undefined;
}

const isPspRole = (text: string): text is PspRole => (PSP_ROLES as readonly string[]).includes(text);

function rolesFrom(text: string): PspRole[] {
  return text.split(',').map((word) => {
    const role = word.trim();
    if (!isPspRole(role)) throw new MintRefused(`role "${role}" is not one of ${PSP_ROLES.join(', ')}`);
    return role;
  });
}

function faultFrom(text: string): FaultName {
  if (!isFaultName(text)) throw new MintRefused(`no fault is called "${text}"\n\n${faultList()}`);
  return text;
}

interface Arguments {
  readonly request: QwacRequest;
  readonly data: string;
  readonly out: string;
  readonly faultName: FaultName | undefined;
}

function readArguments(args: string[]): Arguments | 'help' | 'list-faults' {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string', default: 'Example TPP' },
      organization: { type: 'string', default: 'PSDDK-DFSA-12345678' },
      roles: { type: 'string', default: 'PSP_AI,PSP_PI' },
      days: { type: 'string', default: '90' },
      dns: { type: 'string' },
      out: { type: 'string' },
      data: { type: 'string', default: join(ROOT, '.local') },
      fault: { type: 'string' },
      'list-faults': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  if (values['list-faults']) return 'list-faults';
  const faultName = values.fault === undefined ? undefined : faultFrom(values.fault);
  const data = resolve(values.data);
  const folder = [slug(values.name), ...(faultName ? [faultName] : [])].join('-');
  return {
    request: {
      name: values.name,
      organizationIdentifier: values.organization,
      roles: rolesFrom(values.roles),
      days: Number(values.days),
      ...(values.dns ? { dnsName: values.dns } : {}),
    },
    data,
    out: resolve(values.out ?? join(data, 'qwac', folder)),
    faultName,
  };
}

async function mint({ request, data, faultName }: Arguments): Promise<Qwac> {
  const files = (name: string): IssuerFiles => ({
    certificate: join(data, 'ca', `${name}.pem`),
    key: join(data, 'ca', `${name}-key.pem`),
  });
  const issuingCa = files('issuing-ca');
  if (!existsSync(issuingCa.key))
    throw new MintRefused(`no sandbox CA in ${join(data, 'ca')}: start the stack once with \`npm start\``);
  const [issuer, root] = await Promise.all([readIssuer(issuingCa), readIssuer(files('root'))]);
  return mintQwac({ request, issuer, root, at: new Date(), ...(faultName && { fault: FAULTS[faultName] }) });
}

const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function shown(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith('..') ? file : short;
}

function explain(options: {
  readonly asked: Arguments;
  readonly qwac: Qwac;
  readonly files: { readonly chain: string; readonly key: string };
  readonly stack: RunningStack | undefined;
}): string {
  const { asked, qwac, files, stack } = options;
  const { name, organizationIdentifier, roles } = asked.request;
  const rootFile = join(asked.data, 'ca/root.pem');
  const body = JSON.stringify({ name, roles, redirectUris: ['http://localhost:3000/callback'] });
  const fault: Fault | undefined = asked.faultName && FAULTS[asked.faultName];
  const whenRunning = stack ? '' : ' (when the stack runs: npm start)';
  const purpose = fault
    ? [
        `Fault ${asked.faultName}: ${fault.summary}`,
        `${fault.result === 'warning' ? 'Accepted, with a warning of' : 'Refused by'} the check ${fault.check}:`,
        '',
        `npm run qwac -- verify --anchors ${shown(rootFile)} ${shown(files.chain)}`,
        '',
        `See what registration answers${whenRunning}; a TLS library may decline to present it at all:`,
      ]
    : [`Register with it${whenRunning}:`];
  return `${name} (${organizationIdentifier}), ${roles.join(' ')}, until ${qwac.notAfter.toISOString()}
  chain  ${shown(files.chain)}
  key    ${shown(files.key)}

${purpose.join('\n')}

curl --cacert ${shown(stack?.serverCa ?? rootFile)} --cert ${shown(files.chain)} --key ${shown(files.key)} \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(body)} \\
  ${stack?.registrationUrl ?? 'https://localhost:8444'}/tpp`;
}

/** `npm run qwac -- mint …`: writes chain.pem and key.pem, prints a call that works. Resolves to the exit status. */
export async function mintCommand(args: string[]): Promise<number> {
  const asked = readArguments(args);
  if (asked === 'help' || asked === 'list-faults') {
    console.log(asked === 'help' ? USAGE : faultList());
    return 0;
  }
  const files = { chain: join(asked.out, 'chain.pem'), key: join(asked.out, 'key.pem') };
  for (const file of Object.values(files))
    if (existsSync(file)) throw new MintRefused(`${file} exists already: choose another folder with --out`);

  const qwac = await mint(asked);
  await mkdir(asked.out, { recursive: true, mode: 0o700 });
  await writeFile(files.key, qwac.keyPem, { mode: 0o600, flag: 'wx' });
  await writeFile(files.chain, qwac.chainPem, { flag: 'wx' });
  console.log(explain({ asked, qwac, files, stack: await runningStack(asked.data) }));
  return 0;
}
