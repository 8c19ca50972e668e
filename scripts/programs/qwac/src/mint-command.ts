import { createPrivateKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { InputError, inShell, list, shown, UsageError, widthOf } from '@kontoport/command';
import {
  authorityFiles,
  certifyRequest,
  checkRequest,
  type Fault,
  faultList,
  type FaultName,
  FAULTS,
  isFaultName,
  keyStore,
  mintQwac,
  MintRefused,
  PSP_ROLES,
  type PspRole,
  type Qwac,
  type QwacRequest,
  readIssuer,
  slug,
} from '@kontoport/issuing';
import { dataFolder, instant, type RunningStack, runningStack } from './sandbox.ts';
import { readSource } from './source.ts';

const isPspRole = (text: string): text is PspRole => (PSP_ROLES as readonly string[]).includes(text);

function rolesFrom(text: string): PspRole[] {
  return text.split(',').map((word) => {
    const role = word.trim();
    if (!isPspRole(role)) throw new MintRefused(`role "${role}" is not one of ${PSP_ROLES.join(', ')}`);
    return role;
  });
}

function faultFrom(text: string): FaultName {
  if (isFaultName(text)) return text;
  const meant = Object.keys(FAULTS).find((name) => name.includes(text.toLowerCase()));
  const guess = meant === undefined ? '.' : `; did you mean "${meant}"?`;
  throw new InputError(`no fault is called "${text}"${guess} --list-faults shows all`);
}

/** The options of `mint`. */
export interface MintOptions {
  name: string;
  organization: string;
  roles: string;
  days: string;
  dns?: string;
  out?: string;
  csr?: string;
  p12?: boolean;
  password?: string;
  data?: string;
  fault?: string;
  listFaults?: boolean;
}

interface Arguments {
  readonly request: QwacRequest;
  readonly data: string;
  readonly out: string;
  readonly faultName: FaultName | undefined;
  /** Bytes of a certificate request. */
  readonly csr: Uint8Array | undefined;
  /** Password of a PKCS #12 file, if one is requested. */
  readonly password: string | undefined;
}

async function readArguments(values: MintOptions): Promise<Arguments> {
  if (values.password !== undefined && !values.p12)
    throw new UsageError('--password is of use with --p12 only');
  if (values.csr !== undefined && values.p12)
    throw new UsageError('--csr and --p12 contradict each other: the key of a request stays with you');
  const faultName = values.fault === undefined ? undefined : faultFrom(values.fault);
  const data = dataFolder(values.data);
  const { name } = values;
  const folder = [slug(name), ...(faultName ? [faultName] : [])].join('-');
  return {
    request: {
      name,
      organizationIdentifier: values.organization,
      roles: rolesFrom(values.roles),
      days: Number(values.days),
      ...(values.dns ? { dnsName: values.dns } : {}),
    },
    data,
    out: resolve(values.out ?? join(data, 'qwac', folder)),
    faultName,
    csr: values.csr === undefined ? undefined : (await readSource(values.csr)).bytes,
    password: values.p12 ? (values.password ?? 'kontoport') : undefined,
  };
}

/** The written parts: a chain, and the key if it is made here. */
type Minted = Omit<Qwac, 'keyPem'> & { readonly keyPem?: string };

async function mint({ request, data, faultName, csr }: Arguments): Promise<Minted> {
  const authorities = authorityFiles(join(data, 'ca'));
  const { issuingCa } = authorities;
  if (!existsSync(issuingCa.key))
    throw new MintRefused(`no sandbox CA in ${join(data, 'ca')}: start the stack once with npm start`);
  const [issuer, root] = await Promise.all([readIssuer(issuingCa), readIssuer(authorities.root)]);
  const wanted = { request, issuer, root, at: new Date(), ...(faultName && { fault: FAULTS[faultName] }) };
  return csr === undefined ? mintQwac(wanted) : certifyRequest(wanted, csr);
}

function explain(options: {
  readonly asked: Arguments;
  readonly qwac: Minted;
  readonly files: {
    readonly chain: string;
    readonly fullChain: string;
    readonly key: string;
    readonly store: string;
  };
  readonly stack: RunningStack | undefined;
}): string {
  const { asked, qwac, files, stack } = options;
  const { name, organizationIdentifier, roles } = asked.request;
  const rootFile = join(asked.data, 'ca/root.pem');
  const body = JSON.stringify({ name, roles, redirectUris: ['https://tpp.example/callback'] });
  const fault: Fault | undefined = asked.faultName && FAULTS[asked.faultName];
  const key = qwac.keyPem === undefined ? 'YOUR-KEY.pem' : shown(files.key);
  const written = [
    `  chain       ${shown(files.chain)} (for TLS: curl --cert)`,
    `  full chain  ${shown(files.fullChain)} (for POST /tpp/{clientId}/certificates)`,
    ...(qwac.keyPem === undefined ? [] : [`  key         ${key}`]),
    ...(asked.password === undefined
      ? []
      : [`  store       ${shown(files.store)} (PKCS #12, key and chain)`]),
  ];
  const whenRunning = stack ? '' : ' (when the stack runs: npm start)';
  const purpose = fault
    ? [
        `Fault ${asked.faultName}: ${fault.summary}`,
        `${fault.result === 'warning' ? 'Accepted, with a warning of' : 'Refused by'} the check ${fault.check}:`,
        '',
        `npx kontoport qwac verify --anchors ${shown(rootFile)} ${shown(files.chain)}`,
        '',
        `See what registration answers${whenRunning}; a TLS library may decline to present it at all:`,
      ]
    : [`Register with it${whenRunning}:`];
  return `${name} (${organizationIdentifier}), ${roles.join(' ')}, until ${instant(qwac.notAfter)}
${written.join('\n')}

${purpose.join('\n')}

curl --cacert ${shown(stack?.serverCa ?? rootFile)} --cert ${shown(files.chain)} --key ${key} \\
  -H 'Content-Type: application/json' \\
  -d ${inShell(body)} \\
  ${stack?.registrationUrl ?? 'https://localhost:8444'}/tpp`;
}

/** Writes key and chains, prints a call that works. Resolves to the exit status. */
export async function mintCommand(options: MintOptions): Promise<number> {
  if (options.listFaults) {
    console.log(faults(widthOf(process.stdout, Infinity)));
    return 0;
  }
  try {
    return await write(await readArguments(options));
  } catch (error) {
    if (!(error instanceof MintRefused)) throw error;
    throw new InputError(error.message, { cause: error });
  }
}

/** The table where it fits, else what each fault is beneath its name. */
function faults(width: number): string {
  const wide = faultList();
  if (wide.split('\n').every((line) => line.length <= width)) return wide;
  const rows = Object.entries<Fault>(FAULTS).map(([name, { check, summary, result }]) => ({
    name,
    what: `${summary} (${result === 'warning' ? 'accepted with a warning of' : 'refused by'} ${check})`,
  }));
  return list(rows, { width }).join('\n');
}

async function write(asked: Arguments): Promise<number> {
  const file = (name: string): string => join(asked.out, name);
  const files = {
    chain: file('chain.pem'),
    fullChain: file('full-chain.pem'),
    key: file('key.pem'),
    store: file('store.p12'),
  };
  checkRequest(asked.request);
  for (const path of Object.values(files))
    if (existsSync(path)) throw new MintRefused(`${path} exists already: choose another folder with --out`);

  const qwac = await mint(asked);
  await mkdir(asked.out, { recursive: true, mode: 0o700 });
  if (qwac.keyPem !== undefined) {
    await writeFile(files.key, qwac.keyPem, { mode: 0o600, flag: 'wx' });
    if (asked.password !== undefined) {
      const { name } = asked.request;
      const key = createPrivateKey(qwac.keyPem);
      const store = keyStore({ key, chain: qwac.chain, name, password: asked.password });
      await writeFile(files.store, store, { mode: 0o600, flag: 'wx' });
    }
  }
  await writeFile(files.chain, qwac.chainPem, { flag: 'wx' });
  const root = await readFile(authorityFiles(join(asked.data, 'ca')).root.certificate, 'utf8');
  await writeFile(files.fullChain, qwac.chainPem + root, { flag: 'wx' });
  console.log(explain({ asked, qwac, files, stack: runningStack(asked.data) }));
  return 0;
}
