// npm run qwac -- verify: the verdict on a certificate, as the services give it.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type Certificate,
  CertificateInputError,
  CertificateStore,
  DerError,
  OID,
  readCertificate,
  readCertificates,
  readRevocationList,
  splitCertificates,
  splitRevocationLists,
  type Verdict,
  verdict,
  type VerdictProfile,
} from '@kontoport/certificates';

const usage = `npm run qwac -- verify --anchors FILE|FOLDER [options] FILE

Gives the verdict on the certificate in FILE (PEM or DER; the leaf first, its chain after it).

  --anchors FILE|FOLDER    trusted roots or issuing CAs; may be repeated (not needed for --profile leaf)
  --intermediates FILE     further CA certificates to build the path with; may be repeated
  --at ISO-TIME            the moment to judge by; now unless given
  --profile psd2|path|leaf psd2: path and QWAC rules (the default); path: RFC 5280 alone; leaf: QWAC rules alone
  --max-depth N            intermediate CAs allowed in the path
  --purpose P              serverAuth or clientAuth: what the leaf must be good for, if it has an extKeyUsage
  --crl FILE               revocation list to hold the path against; may be repeated
  --json                   one JSON object instead of text

Exit status: 0 accepted, 1 refused, 2 unreadable input or wrong usage.`;

/** A file cannot be read as what it should be; the message says why. */
class InputError extends Error {
  override readonly name = 'InputError';
}

/** The command line makes no sense. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

const profiles: readonly VerdictProfile[] = ['psd2', 'path', 'leaf'];
const isProfile = (text: string): text is VerdictProfile => profiles.some((profile) => profile === text);

const purposes = { serverAuth: OID.serverAuth, clientAuth: OID.clientAuth } as const;
type Purpose = keyof typeof purposes;
const isPurpose = (text: string): text is Purpose => Object.hasOwn(purposes, text);

interface Request {
  readonly file: string;
  readonly anchors: readonly string[];
  readonly intermediates: readonly string[];
  readonly crls: readonly string[];
  readonly at: Date;
  readonly profile: VerdictProfile;
  readonly maxDepth: number | undefined;
  readonly purpose: Purpose | undefined;
  readonly json: boolean;
}

function readArguments(args: readonly string[]): Request | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      anchors: { type: 'string', multiple: true, default: [] },
      intermediates: { type: 'string', multiple: true, default: [] },
      crl: { type: 'string', multiple: true, default: [] },
      at: { type: 'string' },
      profile: { type: 'string', default: 'psd2' },
      'max-depth': { type: 'string' },
      purpose: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name exactly one file.');
  const { profile } = values;
  if (!isProfile(profile)) throw new UsageError(`--profile is one of ${profiles.join(', ')}.`);
  if (profile !== 'leaf' && values.anchors.length === 0) throw new UsageError('--anchors is needed.');
  const { purpose } = values;
  if (purpose !== undefined && !isPurpose(purpose))
    throw new UsageError(`--purpose is one of ${Object.keys(purposes).join(', ')}.`);
  const at = values.at === undefined ? new Date() : new Date(values.at);
  if (Number.isNaN(at.getTime())) throw new UsageError('--at is not an ISO 8601 time.');
  const depth = values['max-depth'];
  if (depth !== undefined && !/^\d{1,3}$/.test(depth))
    throw new UsageError('--max-depth is not a number from 0 to 999.');
  return {
    file,
    anchors: values.anchors,
    intermediates: values.intermediates,
    crls: values.crl,
    at,
    profile,
    maxDepth: depth === undefined ? undefined : Number(depth),
    purpose,
    json: values.json,
  };
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new InputError(`${file} cannot be read (${code}).`, { cause: error });
  }
}

/** Bytes of certificates in DER, which need not be good ones: a bad one is refused, not unreadable. */
async function readPresented(file: string): Promise<readonly Uint8Array[]> {
  const bytes = await readBytes(file);
  try {
    return readCertificates(bytes).map(({ der }) => der);
  } catch (error) {
    if (!(error instanceof CertificateInputError)) throw error;
    if (error.fault === 'not-der') return splitCertificates(bytes);
    throw new InputError(`${file}: ${error.message}`, { cause: error });
  }
}

async function listFiles(path: string): Promise<readonly string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  const names = (await readdir(path)).filter((name) => /\.(pem|crt|cer|der)$/i.test(name));
  return names.toSorted().map((name) => join(path, name));
}

/** What cannot be read is trusted by nobody: it is left out, and said so. */
function readTrusted(der: Uint8Array, file: string): readonly Certificate[] {
  try {
    return [readCertificate(der)];
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    console.error(`${file}: a certificate is left out, since it cannot be read: ${error.message}`);
    return [];
  }
}

async function readTrustedFiles(paths: readonly string[]): Promise<readonly Certificate[]> {
  const files = (await Promise.all(paths.map(listFiles))).flat();
  const read = files.map(async (file) =>
    (await readPresented(file)).flatMap((der) => readTrusted(der, file)),
  );
  return (await Promise.all(read)).flat();
}

async function readCrls(file: string) {
  try {
    return splitRevocationLists(await readBytes(file)).map(readRevocationList);
  } catch (error) {
    if (!(error instanceof CertificateInputError || error instanceof DerError)) throw error;
    throw new InputError(`${file}: ${error.message}`, { cause: error });
  }
}

async function judge(request: Request): Promise<Verdict> {
  const { at, profile, maxDepth, purpose } = request;
  const chain = await readPresented(request.file);
  const crls = (await Promise.all(request.crls.map(readCrls))).flat();
  return verdict(chain, {
    profile,
    at,
    anchors: new CertificateStore(await readTrustedFiles(request.anchors)),
    intermediates: await readTrustedFiles(request.intermediates),
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(purpose === undefined ? {} : { purposes: [purposes[purpose]] }),
    ...(crls.length > 0 ? { crls } : {}),
  });
}

function asText(made: Verdict): string {
  const width = Math.max(...made.checks.map(({ check }) => check.length));
  const lines = made.checks.map(
    ({ check, result, evidence }) => `${result.padEnd(8)} ${check.padEnd(width)}  ${evidence}`,
  );
  const roles = made.roles.length > 0 ? ` as ${made.roles.join(', ')}` : '';
  const end = made.failure
    ? `REFUSED (${made.failure.errorCode}) ${made.failure.message}`
    : `ACCEPTED ${made.displayName}${roles}`;
  return [...lines, '', end].join('\n');
}

/** Without the bytes of the path, which JSON would spell out one by one. */
function asJson(made: Verdict): string {
  return JSON.stringify({ ...made, pathDer: undefined }, null, 2);
}

/** Prints the verdict on a certificate file; resolves to the exit status 0 accepted, 1 refused, 2 unusable. */
export async function verify(args: readonly string[]): Promise<number> {
  try {
    const request = readArguments(args);
    if (request === 'help') {
      console.log(usage);
      return 0;
    }
    const made = await judge(request);
    console.log(request.json ? asJson(made) : asText(made));
    return made.accepted ? 0 : 1;
  } catch (error) {
    if (error instanceof InputError) console.error(error.message);
    else if (error instanceof UsageError || (error instanceof TypeError && 'code' in error))
      console.error(`${error.message}\n\n${usage}`);
    else throw error;
    return 2;
  }
}
