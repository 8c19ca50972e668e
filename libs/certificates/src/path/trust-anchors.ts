import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import { CertificateInputError, readCertificates } from '../x509/read-certificates.ts';
import { checkCertificate, checkValidity } from './certificate-rules.ts';
import { CertificateStore } from './certificate-store.ts';

/** What a look at the folder came to. */
export interface AnchorReport {
  /** False: the folder could not be taken as it is, and the last good set stays. */
  readonly loaded: boolean;
  readonly anchors: number;
  /** Files that could not be read, with the reason. */
  readonly faults: readonly { readonly file: string; readonly reason: string }[];
  /** Anchors that were loaded but under which no path is accepted now (expired, no CA, …). */
  readonly unusable: readonly { readonly file: string; readonly subject: string; readonly reason: string }[];
}

/** The folder of trust anchors cannot be used at start-up. */
export class TrustAnchorError extends Error {
  override readonly name = 'TrustAnchorError';
}

const LIMITS = { maxBytes: 8_000_000, maxCertificates: 2048 };
const FILE_NAMES = /\.(pem|crt|cer|der)$/i;

/** Names, sizes and times of the folder's files: changes whenever one of them does. */
async function fingerprint(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((file) => FILE_NAMES.test(file)).toSorted();
  const marks = files.map(async (file) => {
    const { size, mtimeMs, ctimeMs, ino } = await stat(join(folder, file));
    return [file, size, mtimeMs, ctimeMs, ino].join(':');
  });
  return (await Promise.all(marks)).join('\n');
}

interface ReadFileResult {
  readonly file: string;
  readonly certificates: readonly Certificate[];
  readonly reason?: string;
}

async function readAnchorFile(folder: string, file: string): Promise<ReadFileResult> {
  try {
    return { file, certificates: readCertificates(await readFile(join(folder, file)), LIMITS) };
  } catch (error) {
    if (error instanceof CertificateInputError) return { file, certificates: [], reason: error.message };
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { file, certificates: [], reason: `The file cannot be read (${code}).` };
  }
}

function unusableAnchors(files: readonly ReadFileResult[], at: Date): AnchorReport['unusable'] {
  return files.flatMap(({ file, certificates }) =>
    certificates.flatMap((anchor) => {
      const checks = [...checkCertificate(anchor, 'anchor'), checkValidity(anchor, 'anchor', at)];
      const fault = checks.find(({ result }) => result === 'failed');
      return fault ? [{ file, subject: shortName(anchor.subject), reason: fault.evidence }] : [];
    }),
  );
}

/**
 * Reads every .pem, .crt, .cer and .der file of the folder. All or nothing: with one file broken, or no certificate at
 * all, there is no store.
 */
export async function readTrustAnchors(
  folder: string,
  at: Date = new Date(),
): Promise<{ readonly store?: CertificateStore; readonly report: AnchorReport }> {
  const listed = (await readdir(folder)).filter((file) => FILE_NAMES.test(file)).toSorted();
  const files = await Promise.all(listed.map((file) => readAnchorFile(folder, file)));
  const faults = files.flatMap(({ file, reason }) => (reason === undefined ? [] : [{ file, reason }]));
  const store = new CertificateStore(files.flatMap(({ certificates }) => certificates));
  const anchors = store.certificates.length;
  const loaded = faults.length === 0 && anchors > 0;
  const report = { loaded, anchors, faults, unusable: unusableAnchors(files, at) };
  return loaded ? { store, report } : { report };
}

export interface TrustAnchors {
  /** The last good set. */
  readonly current: () => CertificateStore;
  /**
   * Looks at the folder again: a changed one replaces the set in one step; a broken one is reported and changes nothing.
   * One look at a time.
   */
  readonly reload: () => Promise<void>;
}

/**
 * Opens the folder. Whoever wants to follow its changes calls `reload` from time to time.
 * @throws TrustAnchorError when the folder is missing, holds no certificate, or a file that is none
 */
export async function openTrustAnchors(options: {
  readonly folder: string;
  readonly onReload?: (report: AnchorReport) => void;
}): Promise<TrustAnchors> {
  const { folder } = options;
  let seen = await fingerprint(folder).catch((error: unknown) => {
    throw new TrustAnchorError(`The trust-anchor folder ${folder} cannot be read.`, { cause: error });
  });
  const first = await readTrustAnchors(folder);
  if (!first.store) {
    const reasons = first.report.faults.map(({ file, reason }) => `${file}: ${reason}`).join(' ');
    throw new TrustAnchorError(
      `The trust-anchor folder ${folder} cannot be used. ${reasons || 'It holds no certificate (*.pem, *.crt, *.cer, *.der).'}`,
    );
  }
  let store = first.store;

  const reload = async () => {
    const now = await fingerprint(folder).catch(() => 'unreadable');
    if (now === seen) return;
    seen = now;
    const failure = {
      loaded: false,
      anchors: 0,
      faults: [{ file: folder, reason: 'The folder cannot be read.' }],
      unusable: [],
    };
    const read = await readTrustAnchors(folder).catch(() => ({ report: failure, store: undefined }));
    if (read.store) ({ store } = read);
    options.onReload?.(read.report);
  };

  return { current: () => store, reload };
}
