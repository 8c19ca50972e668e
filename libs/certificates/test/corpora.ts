import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const folder = join(import.meta.dirname, '../../../../shared/corpora/qwac');

/** A corpus file: where the variable points, else beside the repository; undefined when there is none. */
export interface Corpus {
  readonly file: string;
  /** Folder that paths inside the file are relative to. */
  readonly folder: string;
  /** Whether the folder comes from the environment variable; the tests do not list its cases by name. */
  readonly isForeign: boolean;
}

/** The corpora and the variables that name others of the same form. */
const corpora = { QWAC_MANIFEST: 'manifest.json', LIMBO_FILE: 'x509-limbo.json' } as const;
export type CorpusVariable = keyof typeof corpora;

/** The file that the variable names, else one beside the repository. @throws Error when the variable names no file */
export function findCorpus(variable: CorpusVariable): Corpus | undefined {
  const given = process.env[variable];
  const file = given ?? join(folder, corpora[variable]);
  if (existsSync(file)) return { file, folder: dirname(file), isForeign: given !== undefined };
  if (given === undefined) return undefined;
  throw new Error(`${variable}: there is no file ${file}`);
}

/** For `describeWith`: the missing corpus, and how to get it. */
export function needOf(
  corpus: Corpus | undefined,
  variable: CorpusVariable,
): { missing: string | undefined } {
  const name = corpora[variable];
  return {
    missing: corpus ? undefined : `${name} is not beside the repository: ${variable}=<path> names it`,
  };
}

export interface ManifestEntry {
  readonly file: string;
  readonly issuers: readonly string[];
  readonly validFrom: string;
  readonly validTo: string;
  /** `accept`, or `reject: ` with the reasons. */
  readonly strict: string;
  readonly warn: string;
}

export interface LimboCase {
  readonly id: string;
  readonly expected_result: 'SUCCESS' | 'FAILURE';
  readonly trusted_certs: readonly string[];
  readonly untrusted_intermediates: readonly string[];
  readonly peer_certificate: string;
  /** ISO 8601, or null for now. */
  readonly validation_time: string | null;
  readonly extended_key_usage: readonly string[];
  readonly max_chain_depth: number | null;
  readonly crls?: readonly string[];
}

export function readManifest(corpus: Corpus): readonly ManifestEntry[] {
  return JSON.parse(readFileSync(corpus.file, 'utf8'));
}

export function readLimbo(corpus: Corpus): readonly LimboCase[] {
  return JSON.parse(readFileSync(corpus.file, 'utf8')).testcases;
}

/** DER of every PEM block, without the care of the reader under test. */
export function ders(pem: string): readonly Uint8Array[] {
  const blocks = pem.match(/-----BEGIN [^-]+-----[^-]+-----END/g) ?? [];
  return blocks.map((block) => Buffer.from(block.replaceAll(/-----[^-]+(-----)?/g, ''), 'base64'));
}
