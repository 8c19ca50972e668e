import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Language } from '@kontoport/errors';
import { announceDeprecation, type Deprecation } from './deprecation.ts';
import { HTML_TYPE, PAGE_HEADERS } from './page.ts';

export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

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

/** Sends a reply; nothing of it is kept by caches, unless its headers say so. */
export function sendReply(response: ServerResponse, reply: Reply, deprecated: Deprecation | undefined): void {
  response.statusCode = reply.status;
  response.setHeader('cache-control', 'no-store');
  if (reply.language !== undefined) response.setHeader('content-language', reply.language);
  const content = contentOf(response, reply);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  if (deprecated) announceDeprecation(response, deprecated);
  observeDelivery(response, reply.delivered);
  if (reply.parts === undefined || response.req.method === 'HEAD') response.end(content);
  else void sendParts(response, reply.parts);
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

function contentOf(response: ServerResponse, reply: Reply): string | Uint8Array | undefined {
  if (reply.jsonText !== undefined) {
    response.setHeader('content-type', JSON_TYPE);
    return reply.jsonText;
  }
  if (reply.json !== undefined) {
    response.setHeader('content-type', JSON_TYPE);
    return JSON.stringify(reply.json);
  }
  if (reply.bytes !== undefined) {
    response.setHeader('content-type', reply.type).setHeader('x-content-type-options', 'nosniff');
    return reply.bytes;
  }
  if (reply.parts !== undefined) {
    response.setHeader('content-type', reply.type).setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-length', reply.length);
    return undefined;
  }
  if (reply.html !== undefined) {
    response.setHeader('content-type', HTML_TYPE);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    return reply.html;
  }
  if (reply.redirect !== undefined) response.setHeader('location', reply.redirect);
  return undefined;
}
