import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { ApiError, type ErrorDetail, type Text } from '@kontoport/errors';
import type { z } from 'zod';
import { headerOf, type RawHeaders } from './header-values.ts';
import { type Issue, issueText } from './issue-text.ts';
import { membersOf, repeatedMembers } from './repeated-members.ts';
import { SHAPE_TEXTS } from './shape-texts.ts';
import { HTTP_TEXTS } from './texts.ts';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
/** Details of one refusal, and characters of the path in each. */
export const MAX_DETAILS = 50;
export const MAX_PATH = 200;

/** How a route takes its body: as JSON or as a form, of the shape of a zod schema. */
export type BodyRule = {
  /** The request may come without. */
  optional?: true;
  /** As a caller sends it, for the description of the interface; without one that cannot be made. */
  example?: unknown;
} & ({ json: z.ZodType; form?: undefined } | { form: z.ZodType; json?: undefined });

/** What a handler gets under a body rule. */
export type BodyOf<B extends BodyRule | undefined> = B extends { json: infer Schema extends z.ZodType }
  ? z.output<Schema> | Absent<B>
  : B extends { form: infer Schema extends z.ZodType }
    ? z.output<Schema> | Absent<B>
    : undefined;
type Absent<B> = B extends { optional: true } ? undefined : never;

/**
 * Reads and checks a body; size, content type, encoding and depth are bounded before it is parsed.
 * @returns undefined where there is none and the rule allows that
 * @throws ApiError PAYLOAD_TOO_LARGE (413), FORMAT_ERROR (415 for a wrong content type, else 400 with `details`).
 */
export async function readBody(request: IncomingMessage, rule: BodyRule): Promise<unknown> {
  if (rule.optional && !hasBody(request)) return undefined;
  const mediaType = rule.json ? 'application/json' : 'application/x-www-form-urlencoded';
  requireMediaType(request, mediaType);
  const bytes = readBytes(request);
  const text = decodeUtf8(bytes instanceof Promise ? await bytes : bytes);
  if (rule.json) return checkShape(rule.json, parseJson(text), 'body');
  return checkShape(rule.form, parseForm(text), 'body');
}

/** Whether a request announces a body (RFC 9112 §6). */
export function hasBody(request: RawHeaders): boolean {
  return headerOf(request, 'transfer-encoding') !== undefined || announcedLength(request) > 0;
}

function announcedLength(request: RawHeaders): number {
  return Number(headerOf(request, 'content-length') ?? 0);
}

/** Checks a parsed value against a schema. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function checkShape<T>(schema: z.ZodType<T>, value: unknown, what: 'body' | 'query'): T {
  // The input is read for its absence only; it never leaves with the error.
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const details = result.error.issues
    .slice(0, MAX_DETAILS)
    .flatMap((issue) => detailsOf(issue, what))
    .slice(0, MAX_DETAILS);
  throw new ApiError('FORMAT_ERROR', summaryOf(details[0]!, what), { details });
}

function detailsOf(issue: Issue, what: 'body' | 'query'): (ErrorDetail & { text: Text })[] {
  const path = [...(what === 'query' ? ['query'] : []), ...issue.path.map(String)];
  const at = (more: readonly string[]): string => [...path, ...more].join('.').slice(0, MAX_PATH);
  if (issue.code !== 'unrecognized_keys') return [{ path: at([]), text: issueText(issue) }];
  return issue.keys.slice(0, MAX_DETAILS).map((key) => ({ path: at([key]), text: SHAPE_TEXTS('unknown') }));
}

/** The first fault in one sentence, for whoever reads no details. */
function summaryOf({ path, text }: { path: string; text: Text }, what: 'body' | 'query'): Text {
  if (what === 'query') return HTTP_TEXTS('query-fault-at', { path, fault: text });
  return path === ''
    ? HTTP_TEXTS('body-fault', { fault: text })
    : HTTP_TEXTS('body-fault-at', { path, fault: text });
}

/** JSON of at most 32 levels, in which each field stands once. @throws ApiError FORMAT_ERROR. */
export function parseJson(text: string): unknown {
  const { depth, members } = measure(text);
  if (depth > MAX_DEPTH)
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('json-too-deep', { levels: MAX_DEPTH }));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('json-invalid'));
  }
  // Which of two values counts must not be up to whoever reads them (ADR 4).
  if (membersOf(value) < members) throw fieldsTwice(repeatedMembers(text));
  return value;
}

function fieldsTwice(paths: readonly string[]): ApiError {
  const details = [...new Set(paths)].slice(0, MAX_DETAILS).map((path) => ({
    path: path.slice(0, MAX_PATH),
    text: SHAPE_TEXTS('twice'),
  }));
  return new ApiError('FORMAT_ERROR', summaryOf(details[0]!, 'body'), { details });
}

/** The fields of a form by their names, each of which stands once. @throws ApiError FORMAT_ERROR. */
function parseForm(text: string): Record<string, string> {
  // Not URLSearchParams: it takes a first question mark away, and making one costs three times as much in a process that traces.
  const fields = parse(text, '&', '=', { maxKeys: 0 });
  for (const name in fields)
    if (typeof fields[name] !== 'string') throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('form-field-twice'));
  return fields as Record<string, string>;
}

/** How deep a text of JSON is nested, and how many members its objects have. */
function measure(text: string): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
    else if (char === 0x3a) members++;
  }
  return { depth: deepest, members };
}

function requireMediaType(request: IncomingMessage, expected: string): void {
  const given = headerOf(request, 'content-type') ?? '';
  if (given === expected) return;
  const [mediaType = '', ...parameters] = given.toLowerCase().split(';');
  const charset = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='));
  if (mediaType.trim() === expected && (charset === undefined || /^charset="?utf-8"?$/.test(charset))) return;
  throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('media-type', { expected }), { status: 415 });
}

/** At once where all of it came with the head, as a short body does. */
function readBytes(request: IncomingMessage): Buffer | Promise<Buffer> {
  const encoding = headerOf(request, 'content-encoding');
  if (encoding && encoding !== 'identity')
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('compressed'), { status: 415 });
  const length = announcedLength(request);
  if (length > MAX_BODY_BYTES) throw tooLarge();
  // All of it may lie there before Node calls the request complete, which it does a turn later.
  const isWhole = request.complete || (length > 0 && request.readableLength === length);
  if (!isWhole) return collect(request);
  const bytes = (request.read() as Buffer | null) ?? Buffer.alloc(0);
  if (bytes.length > MAX_BODY_BYTES) throw tooLarge();
  return bytes;
}

/** What is still to come. It stops reading at the bound, and does not end the request: its rest is read and dropped. */
function collect(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (result: Buffer | ApiError): void => {
      request.off('data', take).off('end', finish).off('error', cut).off('close', cut);
      if (result instanceof ApiError) reject(result);
      else resolve(result);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_BODY_BYTES) return;
      request.pause();
      settle(tooLarge());
    };
    const finish = (): void => settle(Buffer.concat(chunks));
    const cut = (cause?: unknown): void =>
      settle(new ApiError('FORMAT_ERROR', HTTP_TEXTS('body-cut'), { cause }));
    request.on('data', take).on('end', finish).on('error', cut).on('close', cut);
    if (request.destroyed) cut();
  });
}

function tooLarge(): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    HTTP_TEXTS('body-too-large', { kilobytes: MAX_BODY_BYTES / 1024 }),
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('not-utf8'));
  }
}
