import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Certificate } from '../x509/certificate.ts';
import { shortName } from '../x509/names.ts';
import { CertificateInputError, readCertificates } from '../x509/read-certificates.ts';
import { checkCertificate, checkValidity, type Place } from './certificate-rules.ts';
import { CertificateStore } from './certificate-store.ts';

/** The use of a folder's certificates: trust anchors, or intermediates that complete paths. */
export type FolderPlace = Exclude<Place, 'leaf' | 'responder'>;

/** The result of reading a folder. */
export interface FolderReport {
  readonly place: FolderPlace;
  /** False: the folder has a fault, and the last good set stays in use. */
  readonly loaded: boolean;
  readonly certificates: number;
  /** Files that could not be read, with the reason. */
  readonly faults: readonly { readonly file: string; readonly reason: string }[];
  /** Loaded certificates that cannot end a path now (expired, no CA, …). */
  readonly unusable: readonly { readonly file: string; readonly subject: string; readonly reason: string }[];
}

/** A folder of certificates cannot be used at start-up. */
export class CertificateFolderError extends Error {
  override readonly name = 'CertificateFolderError';
  readonly place: FolderPlace;

  constructor(place: FolderPlace, why: string, options?: ErrorOptions) {
    super(`The ${FOLDER_NAMES[place]} ${why}`, options);
    this.place = place;
  }
}

const FOLDER_NAMES: Readonly<Record<FolderPlace, string>> = {
  anchor: 'trust-anchor folder',
  intermediate: 'folder of issuing CAs',
};
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

async function readCertificateFile(folder: string, file: string): Promise<ReadFileResult> {
  try {
    return { file, certificates: readCertificates(await readFile(join(folder, file)), LIMITS) };
  } catch (error) {
    if (error instanceof CertificateInputError) return { file, certificates: [], reason: error.message };
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { file, certificates: [], reason: `The file cannot be read (${code}).` };
  }
}

function unusable(
  files: readonly ReadFileResult[],
  { place, at }: { readonly place: FolderPlace; readonly at: Date },
): FolderReport['unusable'] {
  return files.flatMap(({ file, certificates }) =>
    certificates.flatMap((certificate) => {
      const checks = [...checkCertificate(certificate, place), checkValidity(certificate, place, at)];
      const fault = checks.find(({ result }) => result === 'failed');
      return fault ? [{ file, subject: shortName(certificate.subject), reason: fault.evidence }] : [];
    }),
  );
}

/**
 * Reads every .pem, .crt, .cer and .der file of the folder. All or nothing: one broken file, or no certificate at all,
 * yields no store.
 */
async function readFolder(
  folder: string,
  place: FolderPlace,
): Promise<{ readonly store?: CertificateStore; readonly report: FolderReport }> {
  const listed = (await readdir(folder)).filter((file) => FILE_NAMES.test(file)).toSorted();
  const files = await Promise.all(listed.map((file) => readCertificateFile(folder, file)));
  const faults = files.flatMap(({ file, reason }) => (reason === undefined ? [] : [{ file, reason }]));
  const store = new CertificateStore(files.flatMap((read) => read.certificates));
  const certificates = store.certificates.length;
  const loaded = faults.length === 0 && certificates > 0;
  const report = {
    place,
    loaded,
    certificates,
    faults,
    unusable: unusable(files, { place, at: new Date() }),
  };
  return loaded ? { store, report } : { report };
}

export interface CertificateFolder {
  /** The last good set. */
  readonly current: () => CertificateStore;
  /**
   * Reads the folder again. A changed folder replaces the set in one step; a broken one is reported and changes nothing. Calls
   * do not overlap.
   */
  readonly reload: () => Promise<void>;
}

/**
 * Opens the folder. Call `reload` periodically to follow its changes.
 * @throws CertificateFolderError when the folder is missing, has no certificate, or has a file that is none
 */
export async function openCertificateFolder(options: {
  readonly folder: string;
  readonly place: FolderPlace;
  readonly onReload?: (report: FolderReport) => void;
}): Promise<CertificateFolder> {
  const { folder, place } = options;
  let seen = await fingerprint(folder).catch((error: unknown) => {
    throw new CertificateFolderError(place, `${folder} cannot be read.`, { cause: error });
  });
  const first = await readFolder(folder, place);
  if (!first.store) {
    const reasons = first.report.faults.map(({ file, reason }) => `${file}: ${reason}`).join(' ');
    throw new CertificateFolderError(
      place,
      `${folder} cannot be used. ${reasons || 'It holds no certificate (*.pem, *.crt, *.cer, *.der).'}`,
    );
  }
  let store = first.store;

  const reload = async () => {
    const now = await fingerprint(folder).catch(() => 'unreadable');
    if (now === seen) return;
    seen = now;
    const failure = {
      place,
      loaded: false,
      certificates: 0,
      faults: [{ file: folder, reason: 'The folder cannot be read.' }],
      unusable: [],
    };
    const read = await readFolder(folder, place).catch(() => ({ report: failure, store: undefined }));
    if (read.store) ({ store } = read);
    options.onReload?.(read.report);
  };

  return { current: () => store, reload };
}
