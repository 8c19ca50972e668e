import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Shell } from '@kontoport/pages';
import { deprecationHeaders } from './deprecation.ts';
import { HTML_TYPE } from './page.ts';
import { JSON_TYPE, type Reply } from './reply.ts';
import type { StepResponse } from './request-context.ts';
import { publishAnswer, send } from './send.ts';

/** Milliseconds to receive all parts. Ends callers that stop reading. */
const PARTS_LIMIT_MS = 120_000;

/** Sends a reply. Caches must not store it, unless its headers allow that. @throws Error for a header that HTTP cannot carry */
export function sendReply(response: StepResponse, reply: Reply): void {
  const { content, headers } = contentOf(reply, response.locals.context.shell);
  try {
    setHeaders(response, reply, headers);
  } catch (error) {
    // A refusal is sent instead.
    reply.delivered?.(false);
    throw error;
  }
  observeDelivery(response, reply.delivered);
  if (reply.parts === undefined) return send(response, content);
  response.set('content-length', String(reply.length));
  publishAnswer(response);
  if (response.req.method === 'HEAD') response.end();
  else void sendParts(response, reply.parts);
}

function setHeaders(response: StepResponse, reply: Reply, headers?: Record<string, string>): void {
  const { requestId, answerHeaders, route } = response.locals.context;
  response.status(reply.status).set({
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...answerHeaders,
    ...headers,
    ...reply.headers,
    ...(reply.language !== undefined && { 'content-language': reply.language }),
  });
  if (route?.deprecated) response.set(deprecationHeaders(route.deprecated, response.getHeader('link')));
  // Express adds a charset to a text type, and the charset of stored bytes is unknown.
  if ('type' in reply && reply.type !== undefined) response.setHeader('content-type', reply.type);
}

/** Sends the parts. Destroys the connection when they fail, so that the caller misses bytes of Content-Length. */
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

function contentOf(
  reply: Reply,
  shell: Shell,
): { content?: string | Uint8Array; headers?: Record<string, string> } {
  if (reply.jsonText !== undefined) return { content: reply.jsonText, headers: JSON_HEADERS };
  if (reply.json !== undefined) return { content: JSON.stringify(reply.json), headers: JSON_HEADERS };
  if (reply.bytes !== undefined) return { content: reply.bytes, headers: bytesHeaders(reply.type) };
  if (reply.parts !== undefined) return { headers: bytesHeaders(reply.type) };
  if (reply.page !== undefined) {
    const { html, headers } = shell.render(reply.page);
    return {
      content: html,
      headers: { 'content-type': HTML_TYPE, 'content-language': reply.page.language, ...headers },
    };
  }
  return reply.redirect === undefined ? {} : { headers: { location: reply.redirect } };
}

const JSON_HEADERS = { 'content-type': JSON_TYPE };

const bytesHeaders = (type: string) => ({ 'content-type': type, 'x-content-type-options': 'nosniff' });
