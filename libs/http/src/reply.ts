import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Language } from '@kontoport/errors';
import { type Deprecation, deprecationHeaders } from './deprecation.ts';
import { lendBytes } from './lent-bytes.ts';
import { HTML_TYPE, PAGE_HEADERS } from './page.ts';
import type { AnswerHeaders } from './route.ts';

/** By names in lower case. */
export type ReplyHeaders = Readonly<Record<Lowercase<string>, string | readonly string[]>>;

interface Contents {
  /** Serialised (JSON.rawJSON for exact amounts). */
  json: unknown;
  /** JSON that is text already. */
  jsonText: string;
  bytes: Uint8Array;
  /** Bytes in parts, each asked for when the caller took those before; `length` is what they come to. */
  parts: AsyncIterable<Uint8Array>;
  /** A page; a strict Content-Security-Policy goes with it, unless the headers name another. */
  html: string;
  /** An absolute URL, or a path. */
  redirect: string;
}

type Only<K extends keyof Contents> = Pick<Contents, K> & {
  [Other in Exclude<keyof Contents, K>]?: undefined;
};

/** An answer: one kind of content, or none. */
export type Reply<Status extends number = number> = {
  status: Status;
  /** A list stands for several headers of one name, such as two Set-Cookie. */
  headers?: ReplyHeaders;
  /** Of the texts in it. */
  language?: Language;
  /** Called once: whether the whole answer was handed to the connection, or that was gone before. It must not throw. */
  delivered?: (whole: boolean) => void;
} & (
  | Only<'json'>
  | Only<'jsonText'>
  | (Only<'bytes'> & { /** Media type. */ type: string })
  | (Only<'parts'> & { /** Media type. */ type: string; length: number })
  | Only<'html'>
  | Only<'redirect'>
  | { [None in keyof Contents]?: undefined }
);

/** Longer than any caller needs for what is sent in parts, so that a silent one holds nothing for ever. */
const PARTS_LIMIT_MS = 120_000;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a reply; nothing of it is kept by caches, unless its headers say so. Its head is written in one go. */
export function sendReply(
  response: ServerResponse,
  reply: Reply,
  of: { requestId: string; headers: AnswerHeaders; deprecated: Deprecation | undefined },
): void {
  const { requestId, headers: told, deprecated } = of;
  const { content: given, headers: typed } = contentOf(reply);
  const lent = typeof given === 'string' ? lendBytes(given) : undefined;
  const content = lent?.bytes ?? given;
  const headers: Record<string, string | number | readonly string[]> = {
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...told,
    ...typed,
    ...reply.headers,
  };
  if (reply.language !== undefined) headers['content-language'] = reply.language;
  if (deprecated) Object.assign(headers, deprecationHeaders(deprecated, headers.link));
  const length = reply.parts === undefined ? lengthOf(content) : reply.length;
  if (!BODILESS.has(reply.status)) headers['content-length'] = length;
  // It refuses what no header can say: then another answer leaves.
  response.writeHead(reply.status, headers as OutgoingHttpHeaders);
  observeDelivery(response, reply.delivered);
  if (lent !== undefined) response.end(content, lent.giveBack);
  else if (reply.parts === undefined || response.req.method === 'HEAD') response.end(content);
  else void sendParts(response, reply.parts);
}

/** Statuses that nothing follows (RFC 9110 §8.6). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

function lengthOf(content: string | Uint8Array | undefined): number {
  return content === undefined ? 0 : Buffer.byteLength(content);
}

/** Whatever breaks off is cut off: the caller misses bytes that Content-Length promised. */
async function sendParts(response: ServerResponse, parts: AsyncIterable<Uint8Array>): Promise<void> {
  const signal = AbortSignal.timeout(PARTS_LIMIT_MS);
  await pipeline(Readable.from(parts, { objectMode: false }), response, { signal }).catch(() =>
    response.destroy(),
  );
}

function observeDelivery(response: ServerResponse, delivered: Reply['delivered']): void {
  if (delivered === undefined) return;
  if (response.destroyed) return delivered(false);
  response.once('close', () => delivered(response.writableFinished));
}

function contentOf(reply: Reply): { content?: string | Uint8Array; headers?: Record<string, string> } {
  if (reply.jsonText !== undefined) return { content: reply.jsonText, headers: JSON_HEADERS };
  if (reply.json !== undefined) return { content: JSON.stringify(reply.json), headers: JSON_HEADERS };
  if (reply.bytes !== undefined) return { content: reply.bytes, headers: bytesHeaders(reply.type) };
  if (reply.parts !== undefined) return { headers: bytesHeaders(reply.type) };
  if (reply.html !== undefined)
    return { content: reply.html, headers: { 'content-type': HTML_TYPE, ...PAGE_HEADERS } };
  return reply.redirect === undefined ? {} : { headers: { location: reply.redirect } };
}

const JSON_HEADERS = { 'content-type': JSON_TYPE };

const bytesHeaders = (type: string) => ({ 'content-type': type, 'x-content-type-options': 'nosniff' });
