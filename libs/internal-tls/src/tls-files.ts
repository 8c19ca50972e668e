import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type RawEnv, readSmallFile, reloadable, type Reloadable } from '@kontoport/config';
import { type CertificateUse, observeCertificateEnd } from './certificate-end.ts';

/** Options of a TLS connection. The peer is always verified, in any environment. */
export interface TlsOptions {
  rejectUnauthorized: true;
  minVersion: 'TLSv1.2';
  /** PEM; absent: Node's certification authorities. */
  ca?: string;
  /** PEM, the own certificate first, and its key. */
  cert?: string;
  key?: string;
}

/** `KAFKA` means KAFKA_TLS_CA, KAFKA_TLS_CERT and KAFKA_TLS_KEY. */
export type TlsPrefix = 'KAFKA' | 'DATABASE' | 'BANK';

/** Replaces a file of authorities by those of Node. */
export const SYSTEM = 'system';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The variables that name the files of a connection. */
export interface TlsVariables {
  ca: string;
  cert: string;
  key: string;
}

const variablesOf = (prefix: TlsPrefix): TlsVariables => ({
  ca: `${prefix}_TLS_CA`,
  cert: `${prefix}_TLS_CERT`,
  key: `${prefix}_TLS_KEY`,
});

/** Returns the faults of the TLS variables and their files, as `VARIABLE: fault`. */
export function tlsFaults(prefix: TlsPrefix, given: RawEnv): readonly string[] {
  return readTls(variablesOf(prefix), given).faults;
}

/**
 * Returns TLS options by the variables, whose files are read for each connection; undefined without `<PREFIX>_TLS_CA`.
 * @throws Error when the files cannot be used
 */
export function reloadableTls(prefix: TlsPrefix, given: RawEnv): Reloadable<TlsOptions> | undefined {
  if (given[`${prefix}_TLS_CA`] === undefined) return undefined;
  return reloadableTlsFiles(prefix.toLowerCase() as Lowercase<TlsPrefix>, variablesOf(prefix), given);
}

/**
 * Reads the files of these variables for each connection.
 * @throws Error when the files cannot be used
 */
export function reloadableTlsFiles(
  use: CertificateUse,
  names: TlsVariables,
  given: RawEnv,
): Reloadable<TlsOptions> {
  let last: TlsOptions | undefined;
  const read = (): TlsOptions => {
    // Parsing takes ten times as long as reading, and happens for every connection.
    const texts = textsOf(names, given);
    if (last !== undefined && texts !== undefined && isSame(last, texts)) return last;
    const { options, faults } = readTls(names, given);
    if (faults.length > 0) throw new Error(faults.join('; '));
    last = options;
    return options;
  };
  // The caller logs unusable files, so they are a value of their own.
  const looked = reloadable(read);
  observeCertificateEnd(use, () => {
    const { cert } = looked();
    return cert === undefined ? undefined : certificatesIn(cert)[0]!.validToDate;
  });
  return reloadable(read);
}

/** A TLS context that `read` renews at each handshake, for clients with one context for all connections. */
export function reloadableContext(read: () => TlsOptions): SecureContext {
  let made: { from: TlsOptions; context: unknown } | undefined;
  return {
    // Called at every handshake.
    get context() {
      const options = read();
      if (made === undefined || !isSame(made.from, options))
        made = { from: options, context: createSecureContext(options).context };
      return made.context;
    },
  };
}

/** The contents of the files of a connection. */
type Texts = { [piece in keyof TlsVariables]?: string | undefined };

/** Whether both are of the same files. */
export function isSame(one: Texts, other: Texts): boolean {
  return one.ca === other.ca && one.cert === other.cert && one.key === other.key;
}

/** Whether the name, or the address, means this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** Reads the files; undefined where one cannot be read. */
function textsOf(names: TlsVariables, given: RawEnv): Texts | undefined {
  const { [names.ca]: ca, [names.cert]: cert, [names.key]: key } = given;
  const read = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : readSmallFile(path);
  try {
    return { ca: ca === SYSTEM ? undefined : read(ca), cert: read(cert), key: read(key) };
  } catch {
    return undefined;
  }
}

/** The contents of the files and their faults. */
export function readTls(names: TlsVariables, given: RawEnv): { options: TlsOptions; faults: string[] } {
  const options: TlsOptions = { rejectUnauthorized: true, minVersion: 'TLSv1.2' };
  const faults: string[] = [];
  const { [names.ca]: ca, [names.cert]: cert, [names.key]: key } = given;
  const read = <T>(
    name: string,
    path: string,
    parse: (text: string) => T,
  ): { text: string; parsed: T } | undefined => {
    try {
      const text = readSmallFile(path);
      return { text, parsed: parse(text) };
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };

  if (ca !== undefined && ca !== SYSTEM) {
    const file = read(names.ca, ca, certificatesIn);
    if (file !== undefined) options.ca = file.text;
  }
  if (ca === undefined && (cert ?? key) !== undefined)
    faults.push(`${names.ca}: missing; a client certificate needs it (a file, or "${SYSTEM}")`);
  if (cert !== undefined && key === undefined) faults.push(`${names.key}: missing, ${names.cert} is given`);
  if (key !== undefined && cert === undefined) faults.push(`${names.cert}: missing, ${names.key} is given`);
  const chain = cert === undefined ? undefined : read(names.cert, cert, certificatesIn);
  const secret = key === undefined ? undefined : read(names.key, key, privateKeyIn);
  if (chain !== undefined && secret !== undefined) {
    if (!chain.parsed[0]!.checkPrivateKey(secret.parsed))
      faults.push(`${names.key}: it is not the key of the first certificate in ${names.cert}`);
    options.cert = chain.text;
    options.key = secret.text;
  }
  if (faults.length === 0 && ca !== undefined) faults.push(...unusable(names, options));
  return { options, faults };
}

/** Readable files may still be rejected, for example for a short key. */
function unusable(names: TlsVariables, options: TlsOptions): string[] {
  try {
    createSecureContext(options);
    return [];
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return [`${options.cert === undefined ? names.ca : names.cert}: TLS does not take it (${code})`];
  }
}

/** Reads the certificates of a PEM file, in order. @throws Error with the fault */
export function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Error('the file holds no certificate in PEM');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new Error('the file holds a certificate that cannot be read', { cause: error });
  }
}

function privateKeyIn(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new Error('the file must contain an unencrypted private key in PEM', { cause: error });
  }
}
