import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { LiveValue } from './live.ts';
import { liveTlsFiles, readTls, SYSTEM, type TlsOptions, type TlsVariables } from './tls-files.ts';
import type { TracingVariables } from './tracing-variables.ts';

/** Where spans are sent, and how. */
export interface CollectorSettings {
  url: URL;
  protocol: (typeof PROTOCOLS)[number];
  /** Names and values in turn, besides those that tell of the body. */
  headers: readonly string[];
  isPacked: boolean;
  /** Milliseconds for what is sent at once, however often it is tried. */
  limitMs: number;
  /** What the files say in this moment; throws an Error as long as they never could be used. Absent where none is named. */
  tls: LiveValue<TlsOptions> | undefined;
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const COMPRESSIONS = ['none', 'gzip'] as const;
const TLS = { ca: 'CERTIFICATE', cert: 'CLIENT_CERTIFICATE', key: 'CLIENT_KEY' } as const;
const PIECES = Object.keys(TLS) as (keyof typeof TLS)[];
/** They tell of a request and its connection what is so. */
const NOT_TO_GIVE = /^(?:host|user-agent|connection|content-.*|transfer-encoding)$/i;
const HEADERS = 'name=value, separated by commas, of headers that may be given';

/** @returns nothing where no collector is told */
export function readCollector(variables: TracingVariables): CollectorSettings | undefined {
  const url = readUrl(variables);
  const limitMs = variables.count(namesOf('TIMEOUT')) ?? 10_000;
  const protocol = variables.first(namesOf('PROTOCOL'), oneOf(PROTOCOLS)) ?? 'http/protobuf';
  const isPacked = variables.first(namesOf('COMPRESSION'), oneOf(COMPRESSIONS)) === 'gzip';
  const headers = readHeaders(variables);
  const tls = readTlsFiles(variables);
  return url && { url, protocol, headers, isPacked, limitMs, tls };
}

/** The variable of traces alone goes first. */
const namesOf = (name: string): [ofTraces: string, ofAll: string] => [
  `OTEL_EXPORTER_OTLP_TRACES_${name}`,
  `OTEL_EXPORTER_OTLP_${name}`,
];

/** Of traces alone the whole address; else below the one of all that is collected. */
function readUrl(variables: TracingVariables): URL | undefined {
  const [ofTraces, ofAll] = namesOf('ENDPOINT');
  return variables.first([ofTraces, ofAll], (text, name) => {
    const url = URL.parse(name === ofAll ? `${text.replace(/\/$/, '')}/v1/traces` : text);
    const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
    if (isUsable) return url;
    throw new Error('an http or https URL without user name and password');
  });
}

/** Files that cannot be used now may be later, as when whoever issues them is late. */
function readTlsFiles(variables: TracingVariables): LiveValue<TlsOptions> | undefined {
  const names = {} as TlsVariables;
  const given: Record<string, string | undefined> = {};
  for (const piece of PIECES) {
    const [ofTraces, ofAll] = namesOf(TLS[piece]);
    names[piece] = variables.text(ofTraces) === undefined ? ofAll : ofTraces;
    given[names[piece]] = variables.text(names[piece]);
  }
  if (PIECES.every((piece) => given[names[piece]] === undefined)) return undefined;
  given[names.ca] ??= SYSTEM;
  variables.faults.push(...readTls(names, given).faults);
  let files: LiveValue<TlsOptions> | undefined;
  return (report) => (files ??= liveTlsFiles('collector', names, given))(report);
}

/** Of one name the one of traces counts. */
function readHeaders(variables: TracingVariables): string[] {
  const headers = new Map<string, string>();
  for (const variable of namesOf('HEADERS').toReversed()) {
    const given = variables.first([variable], readPairs) ?? [];
    for (const [name, value] of given) headers.set(name.toLowerCase(), value);
  }
  return [...headers].flat();
}

/** @throws Error that quotes nothing: a value may be a secret */
function readPairs(text: string): [name: string, value: string][] {
  return text.split(',').flatMap((pair): [string, string][] => {
    if (pair.trim() === '') return [];
    try {
      const at = pair.indexOf('=');
      const name = decodeURIComponent(pair.slice(0, at).trim());
      const value = decodeURIComponent(pair.slice(at + 1).trim());
      validateHeaderName(name);
      validateHeaderValue(name, value);
      if (at > 0 && !NOT_TO_GIVE.test(name)) return [[name, value]];
    } catch {}
    throw new Error(HEADERS);
  });
}

const oneOf =
  <T extends string>(known: readonly T[]) =>
  (text: string): T => {
    const found = known.find((one) => one === text);
    if (found !== undefined) return found;
    throw new Error(known.join(', '));
  };
