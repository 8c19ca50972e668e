import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Certificate,
  CertificateInputError,
  CertificateStore,
  type Check,
  checkQwac,
  DerError,
  OID,
  readCertificate,
  readCertificates,
  readRevocationList,
  type RevocationList,
  splitCertificates,
  splitRevocationLists,
  type Verdict,
  verdict,
  type VerdictProfile,
} from '@kontoport/certificates';
import { InputError, UsageError, widthOf, wrap } from '@kontoport/command';
import { authorityFiles, currentCrls, namesResponder } from '@kontoport/issuing';
import { type Kind, kindOf } from './kind.ts';
import { dataFolder, inWholeSeconds, sandboxAnchors } from './sandbox.ts';
import { readSource, type Source } from './source.ts';

const purposes = { serverAuth: OID.serverAuth, clientAuth: OID.clientAuth } as const;

interface Request {
  readonly file: string;
  readonly anchors: readonly string[];
  readonly intermediates: readonly string[];
  readonly crls: readonly string[];
  readonly at: Date;
  readonly profile: VerdictProfile;
  readonly maxDepth: number | undefined;
  readonly purpose: keyof typeof purposes | undefined;
  readonly all: boolean;
  readonly json: boolean;
  /** Data folder of the local stack. */
  readonly data: string;
}

/** The options of `verify`. */
export interface VerifyOptions {
  anchors?: string[];
  intermediates?: string[];
  at?: string;
  profile: VerdictProfile;
  maxDepth?: string;
  purpose?: keyof typeof purposes;
  crl?: string[];
  data?: string;
  all?: boolean;
  json?: boolean;
}

function anchorsOf({ anchors, data }: VerifyOptions): readonly string[] {
  if (anchors !== undefined) return anchors;
  const own = sandboxAnchors(dataFolder(data));
  if (own === undefined)
    throw new UsageError(
      '--anchors is needed: no local stack was started here, whose anchors could be taken',
    );
  return [own];
}

function readArguments(file: string, options: VerifyOptions): Request {
  const { profile, intermediates = [], crl: crls = [], purpose, all = false, json = false } = options;
  const anchors = profile === 'leaf' ? (options.anchors ?? []) : anchorsOf(options);
  const at = options.at === undefined ? new Date() : new Date(options.at);
  if (Number.isNaN(at.getTime())) throw new UsageError('--at is not an ISO 8601 time');
  const depth = options.maxDepth;
  if (depth !== undefined && !/^\d{1,3}$/.test(depth))
    throw new UsageError('--max-depth is not a number from 0 to 999');
  return {
    file,
    anchors,
    intermediates,
    crls,
    at,
    profile,
    maxDepth: depth === undefined ? undefined : Number(depth),
    purpose,
    all,
    json,
    data: dataFolder(options.data),
  };
}

/** Bytes of certificates in DER, which need not be good ones: a bad one is refused, not unreadable. */
function readPresented({ name, bytes }: Source): readonly Uint8Array[] {
  try {
    return readCertificates(bytes).map(({ der }) => der);
  } catch (error) {
    if (!(error instanceof CertificateInputError)) throw error;
    if (error.fault === 'not-der') return splitCertificates(bytes);
    throw new InputError(`${name}: ${error.message}`, { cause: error });
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

/** Reads a trusted certificate. An unreadable one is skipped, with a message. */
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
    readPresented(await readSource(file)).flatMap((der) => readTrusted(der, file)),
  );
  return (await Promise.all(read)).flat();
}

async function readCrls(file: string) {
  try {
    return splitRevocationLists((await readSource(file)).bytes).map(readRevocationList);
  } catch (error) {
    if (!(error instanceof CertificateInputError || error instanceof DerError)) throw error;
    throw new InputError(`${file}: ${error.message}`, { cause: error });
  }
}

/** Reads the lists of the local sandbox, if its CA issued the certificate and its responder is in use. */
async function sandboxCrls({ pathDer }: Verdict, { data, at }: Request): Promise<readonly RevocationList[]> {
  const ca = join(data, 'ca');
  const { certificate, sources } = authorityFiles(ca).issuingCa;
  const [leaf, issuer] = pathDer;
  if (!leaf || !issuer || !sources || !namesResponder(leaf, sources) || !existsSync(certificate)) return [];
  const [own] = readCertificates(await readFile(certificate));
  if (!own || Buffer.compare(own.der, issuer) !== 0) return [];
  return (await currentCrls(ca, at)).map(readRevocationList);
}

/** A verdict, and whether it would be good but for the time. */
interface Judged {
  made: Verdict;
  isOtherwiseAccepted: boolean;
}

async function judge(request: Request): Promise<Judged> {
  const { at, profile, maxDepth, purpose } = request;
  const chain = readPresented(await readSource(request.file));
  const crls = (await Promise.all(request.crls.map(readCrls))).flat();
  const anchors = new CertificateStore(await readTrustedFiles(request.anchors));
  const known = new CertificateStore(await readTrustedFiles(request.intermediates));
  const judgeAt = (moment: Date, lists: readonly RevocationList[]): Verdict =>
    verdict(chain, {
      profile,
      at: moment,
      anchors,
      known,
      ...(maxDepth === undefined ? {} : { maxDepth }),
      ...(purpose === undefined ? {} : { purposes: [purposes[purpose]] }),
      ...(lists.length > 0 ? { crls: lists } : {}),
    });
  const unlisted = judgeAt(at, crls);
  const own = unlisted.accepted ? await sandboxCrls(unlisted, request) : [];
  const made = own.length > 0 ? judgeAt(at, [...crls, ...own]) : unlisted;
  const failed = made.checks.find(({ result }) => result === 'failed')?.check;
  const [leaf] = made.path;
  if (!leaf || (failed !== 'validity' && failed !== 'validity-begin'))
    return { made, isOtherwiseAccepted: false };
  // Both ends: its issuer may have been made after the one, or have ended before the other.
  const moments = [leaf.notBefore, leaf.notAfter].map((time) => new Date(time));
  return { made, isOtherwiseAccepted: moments.some((moment) => judgeAt(moment, crls).accepted) };
}

function kindOfLeaf({ pathDer }: Verdict): Kind | undefined {
  const [der] = pathDer;
  if (!der) return undefined;
  const leaf = readCertificate(der);
  return kindOf(leaf, checkQwac(leaf));
}

function lines(checks: readonly Check[], width: number): string[] {
  const column = Math.max(0, ...checks.map(({ check }) => check.length));
  return checks.flatMap(({ check, result, evidence }) => {
    const head = `${result.padEnd(8)} ${check.padEnd(column)}  `;
    const text = inWholeSeconds(evidence);
    if (head.length + text.length <= width) return [head + text];
    return [head.trimEnd(), ...wrap(text, width, '         ')];
  });
}

function asText({ made, isOtherwiseAccepted }: Judged, options: { all: boolean; width: number }): string {
  const { all, width } = options;
  const roles = made.roles.length > 0 ? ` as ${made.roles.join(', ')}` : '';
  const end = made.failure
    ? `REFUSED (${made.failure.errorCode}) ${inWholeSeconds(made.failure.message)}`
    : `ACCEPTED ${made.displayName}${roles}`;
  const advice = made.accepted ? undefined : kindOfLeaf(made);
  const isSetAside = advice?.advice !== undefined && !all;
  const shown = made.checks.filter(({ result }) => all || (result !== 'passed' && !isSetAside));
  const count = (wanted: Check['result']): number =>
    made.checks.filter(({ result }) => result === wanted).length;
  const rest = isSetAside
    ? `${count('failed')} checks failed, ${count('passed')} passed; --all shows them.`
    : `${count('passed')} checks passed${all ? '' : '; --all shows them'}.`;
  return [
    ...wrap(end, width),
    ...(isOtherwiseAccepted ? ['Otherwise it would be accepted.'] : []),
    ...(advice?.advice === undefined ? [] : wrap(`This is ${advice.words}. ${advice.advice}`, width)),
    ...(shown.length > 0 ? ['', ...lines(shown, width)] : []),
    '',
    rest,
  ].join('\n');
}

/** The verdict without the bytes of the path, which JSON would list one by one. */
function asJson({ made, isOtherwiseAccepted }: Judged): string {
  return JSON.stringify({ ...made, otherwiseAccepted: isOtherwiseAccepted, pathDer: undefined }, null, 2);
}

/** Prints the verdict on a certificate; resolves to the exit status. */
export async function verify(file: string, options: VerifyOptions): Promise<number> {
  const request = readArguments(file, options);
  const judged = await judge(request);
  const width = widthOf(process.stdout, Infinity);
  console.log(request.json ? asJson(judged) : asText(judged, { all: request.all, width }));
  return judged.made.accepted ? 0 : 1;
}
