import type { IncomingMessage } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { z } from 'zod';

export const MAX_BODY_BYTES = 64 * 1024;
const MAX_DEPTH = 32;
const MAX_DETAILS = 50;

/** How a route takes its body: as JSON or as a form, of the shape of a zod schema. */
export type BodyRule = { /** The request may come without. */ optional?: true } & (
  | { json: z.ZodType; form?: undefined }
  | { form: z.ZodType; json?: undefined }
);

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
  const text = decodeUtf8(await readBytes(request));
  if (rule.json) return checkShape(rule.json, parseJson(text), 'body');
  const fields = [...new URLSearchParams(text)];
  if (new Set(fields.map(([name]) => name)).size !== fields.length)
    throw new ApiError('FORMAT_ERROR', 'A form field stands more than once.');
  return checkShape(rule.form, Object.fromEntries(fields), 'body');
}

/** Whether a request announces a body (RFC 9112 §6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Checks a parsed value against a schema. @throws ApiError FORMAT_ERROR with a detail for every fault. */
export function checkShape<T>(schema: z.ZodType<T>, value: unknown, what: 'body' | 'query'): T {
  // The input is read for its absence only; it never leaves with the error.
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const details = result.error.issues.slice(0, MAX_DETAILS).flatMap((issue) => {
    const path = [...(what === 'query' ? ['query'] : []), ...issue.path.map(String)];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, MAX_DETAILS).map((key) => ({
        path: [...path, key].join('.').slice(0, 200),
        message: 'is unknown',
      }));
    const missing = issue.code === 'invalid_type' && issue.input === undefined;
    return [{ path: path.join('.').slice(0, 200), message: missing ? 'is missing' : issue.message }];
  });
  const [first] = details;
  const place = first?.path ? `\`${first.path}\` ${first.message}` : (first?.message ?? 'malformed');
  throw new ApiError(
    'FORMAT_ERROR',
    `The ${what === 'body' ? 'body' : 'request'} is not as specified: ${place}.`,
    {
      details: details.slice(0, MAX_DETAILS),
    },
  );
}

/** JSON of at most 32 levels. @throws ApiError FORMAT_ERROR. */
export function parseJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH)
    throw new ApiError('FORMAT_ERROR', `The JSON is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ApiError('FORMAT_ERROR', 'The body is not valid JSON.');
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}

function requireMediaType(request: IncomingMessage, expected: string): void {
  const [mediaType = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='));
  if (mediaType.trim() === expected && (charset === undefined || /^charset="?utf-8"?$/.test(charset))) return;
  throw new ApiError('FORMAT_ERROR', `The Content-Type must be ${expected}.`, { status: 415 });
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (request.headers['content-encoding'] && request.headers['content-encoding'] !== 'identity')
    throw new ApiError('FORMAT_ERROR', 'A compressed body is not accepted.', { status: 415 });
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  try {
    // Not destroyed after a refusal: what is still coming has to be read and dropped.
    const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('FORMAT_ERROR', 'The body ended before it was complete.', { cause: error });
  }
  return Buffer.concat(chunks);
}

function tooLarge(): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES / 1024} KB.`);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError('FORMAT_ERROR', 'The body is not valid UTF-8.');
  }
}
