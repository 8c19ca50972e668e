import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@kontoport/errors';
import type { Shell } from '@kontoport/pages';
import type { ErrorForm } from './page.ts';
import { refusalReply } from './refusal-reply.ts';
import { HTTP_TEXTS } from './texts.ts';

/** What a caller has to read an answer whose connection ends before the caller has said everything. */
export const LINGER_MS = 1_000;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Answers, and ends, a connection on which nothing came that is HTTP enough to be a request. What still comes is read
 * and dropped for a second: closed at once, the connection could take the answer with it (RFC 9112 §9.6).
 */
export function endWithRefusal(
  socket: Duplex,
  refusal: ApiError,
  options: {
    form?: ErrorForm | undefined;
    shell?: Shell | undefined;
    headers?: Readonly<Record<string, string>>;
  } = {},
): void {
  const requestId = randomUUID();
  const { status, headers, body } = refusalReply(refusal, {
    form: options.form,
    shell: options.shell,
    requestId,
    accept: undefined,
    language: 'en',
  });
  const lines = Object.entries({
    ...headers,
    ...options.headers,
    'x-request-id': requestId,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(limit));
  // Whoever has gone already needs no answer.
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  socket.resume();
}

/** CONNECT: no server of ours is a proxy. */
export function refuseTunnel(
  socket: Duplex,
  options: { form?: ErrorForm | undefined; shell?: Shell | undefined },
): void {
  const refusal = new ApiError('METHOD_NOT_ALLOWED', HTTP_TEXTS('no-tunnel'));
  endWithRefusal(socket, refusal, { ...options, headers: { allow: METHODS } });
}

/** An expectation other than `100-continue` (RFC 9110 §10.1.1). */
export function expectationUnknown(): ApiError {
  return new ApiError('FORMAT_ERROR', HTTP_TEXTS('expectation-unknown'), { status: 417 });
}

/** A request without Host (RFC 9112 §3.2). */
export function hostMissing(): ApiError {
  return new ApiError('FORMAT_ERROR', HTTP_TEXTS('host-missing'));
}
