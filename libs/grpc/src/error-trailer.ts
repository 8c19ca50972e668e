import {
  ApiError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorEntry,
  LANGUAGES,
  OAUTH_ERRORS,
  type Template,
  type Text,
  writtenText,
} from '@kontoport/errors';
import { z } from 'zod';

/** The trailer with the whole error. */
export const ERROR_TRAILER = 'kontoport-error-bin';

/** HTTP/2 carries 64 KiB of headers and trailers by default, and base64 adds a third. */
const MAX_BYTES = 24 * 1024;
const MAX_SENTENCE = 1_000;
const MAX_DETAILS = 100;

const sentence = z.string().max(MAX_SENTENCE);
const sentences = z.strictObject({ en: sentence, da: sentence, sv: sentence, nb: sentence });

const wireError = z
  .strictObject({
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    status: z.int(),
    text: sentences,
    details: z.array(z.strictObject({ path: z.string().max(200), text: sentences })).max(MAX_DETAILS),
    retryAfterSeconds: z.int().min(0).optional(),
    // The scope is copied into a header (RFC 6749 §3.3).
    scope: z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/)
      .optional(),
    oauthError: z.enum(OAUTH_ERRORS).optional(),
  })
  .refine(({ code, status }) => {
    const entry: ErrorEntry = ERROR_CODES[code];
    return status === entry.status || entry.otherStatuses?.includes(status) === true;
  });

type WireError = z.infer<typeof wireError>;

/** Writes an error as JSON of bounded size; details beyond the bound are dropped. */
export function writeErrorTrailer(refusal: ApiError): Buffer {
  const { code, status, text, retryAfterSeconds, scope, oauthError } = refusal;
  const error: WireError = {
    code,
    status,
    text: textToWire(text),
    details: [],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(scope === undefined ? {} : { scope }),
    ...(oauthError === undefined ? {} : { oauthError }),
  };
  let room = MAX_BYTES - Buffer.byteLength(JSON.stringify(error));
  for (const detail of refusal.details.slice(0, MAX_DETAILS)) {
    const written = { path: detail.path.slice(0, 200), text: textToWire(detail.text) };
    room -= Buffer.byteLength(JSON.stringify(written)) + 1;
    if (room < 0) break;
    error.details.push(written);
  }
  return Buffer.from(JSON.stringify(error));
}

/** Reads a written error; undefined for anything else. */
export function readErrorTrailer(bytes: Buffer, cause: unknown): ApiError | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  const read = wireError.safeParse(parseJson(bytes));
  if (!read.success) return undefined;
  const { code, status, text, retryAfterSeconds, scope, oauthError } = read.data;
  const details = read.data.details.map((detail) => ({ path: detail.path, text: writtenText(detail.text) }));
  return new ApiError(code, writtenText(text), {
    status,
    details,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(scope === undefined ? {} : { scope }),
    ...(oauthError === undefined ? {} : { oauthError }),
    cause,
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function textToWire(text: Text): Template & WireError['text'] {
  const entries = LANGUAGES.map((language) => [language, text.in(language).slice(0, MAX_SENTENCE)]);
  return Object.fromEntries(entries) as WireError['text'];
}
