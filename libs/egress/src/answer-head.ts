import { BadAnswer } from './faults.ts';

/** How the end of a body is known (RFC 9112 §6.3): by a number of bytes, as chunks, or by the end of the connection. */
export type Framing = number | 'chunks' | 'connection';

/** What counts of the beginning of an answer. */
export interface AnswerHead {
  /** 100 to 999. */
  status: number;
  framing: Framing;
  /** Whether the connection may be used again once all of the answer has been read. */
  isKept: boolean;
  /** Milliseconds for which the peer says that it keeps a connection over which nothing is asked. */
  keptForMs: number | undefined;
  retryAfter: string | undefined;
}

/** Values of the headers that count; of several of a name one list. */
interface Fields {
  length?: string;
  codings?: string;
  connection?: string;
  keepAlive?: string;
  retryAfter?: string;
}

const COUNTED: ReadonlyMap<string, keyof Fields> = new Map([
  ['content-length', 'length'],
  ['transfer-encoding', 'codings'],
  ['connection', 'connection'],
  ['keep-alive', 'keepAlive'],
  ['retry-after', 'retryAfter'],
]);

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** So many digits are an exact number. */
const LENGTH = /^\d{1,15}$/;
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const KEEP_ALIVE = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
const TIMEOUT = /(?:^|,)[ \t]*timeout=(\d{1,9})[ \t]*(?:,|$)/i;
const BODILESS = [204, 304];

/**
 * Reads a status line and its headers, each with its line end, among which are no control characters but tabs.
 * @throws BadAnswer, also where the body could end in two places: it has two lengths, or a length and chunks
 */
export function readAnswerHead(lines: string): AnswerHead {
  const end = lines.indexOf('\r\n');
  const [, minor, digits] = STATUS_LINE.exec(lines.slice(0, end)) ?? [];
  if (digits === undefined) throw new BadAnswer('no status line');
  const status = Number(digits);
  const fields = readFields(lines, end + 2);
  const { framing, isTwice } = framingOf(fields);
  const isBodiless = status < 200 || BODILESS.includes(status);
  const { connection = '', keepAlive = '', retryAfter } = fields;
  // Where a body is announced and must not be, or chunks twice or in the version that knows none, what comes may be anything.
  const isDoubtful = isBodiless
    ? framing !== 0 && framing !== 'connection'
    : framing === 'connection' || isTwice || (minor === '0' && framing === 'chunks');
  const timeout = TIMEOUT.exec(keepAlive)?.[1];
  return {
    status,
    framing: isBodiless ? 0 : framing,
    isKept: !isDoubtful && !CLOSE.test(connection) && (minor === '1' || KEEP_ALIVE.test(connection)),
    keptForMs: timeout === undefined ? undefined : Number(timeout) * 1_000,
    retryAfter,
  };
}

/**
 * Reads header lines or trailers from `at` on.
 * @throws BadAnswer for one without a name, or with a character in the name that none has; so also for one that is folded
 */
export function readFields(lines: string, at = 0): Fields {
  const fields: Fields = {};
  for (let begin = at; begin < lines.length;) {
    const end = lines.indexOf('\r\n', begin);
    const colon = lines.indexOf(':', begin);
    const name = lines.slice(begin, colon);
    // Where the line has no colon there is a line end in it.
    if (!NAME.test(name)) throw new BadAnswer('no header');
    const key = COUNTED.get(name.toLowerCase());
    if (key !== undefined) {
      const value = trimmed(lines.slice(colon + 1, end));
      fields[key] = fields[key] === undefined ? value : `${fields[key]}, ${value}`;
    }
    begin = end + 2;
  }
  return fields;
}

/** `isTwice`: chunks are announced again, as a proxy does that passes on what it was told; they are still chunks. */
function framingOf({ length, codings }: Fields): { framing: Framing; isTwice: boolean } {
  if (length !== undefined && (codings !== undefined || !LENGTH.test(length)))
    throw new BadAnswer('no one length');
  if (length !== undefined) return { framing: Number(length), isTwice: false };
  const names = (codings ?? '').toLowerCase().split(',').map(trimmed).filter(Boolean);
  const first = names.indexOf('chunked');
  return {
    framing: names.at(-1) === 'chunked' ? 'chunks' : 'connection',
    isTwice: first !== -1 && first !== names.length - 1,
  };
}

/** Without spaces and tabs around it: a pattern for those behind would look at each run of them again and again. */
function trimmed(text: string): string {
  const isBlank = (at: number): boolean => text[at] === ' ' || text[at] === '\t';
  let [from, to] = [0, text.length];
  while (from < to && isBlank(from)) from += 1;
  while (from < to && isBlank(to - 1)) to -= 1;
  return text.slice(from, to);
}
