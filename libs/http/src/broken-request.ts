import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '@kontoport/errors';
import type { Shell } from '@kontoport/pages';
import type { ErrorForm } from './page.ts';
import { refusalReply } from './refusal-reply.ts';
import { HTTP_TEXTS } from './texts.ts';

/** Milliseconds for a caller to read an answer before its connection ends. */
export const LINGER_MS = 1_000;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Answers bytes that are no HTTP request, and ends the connection. Reads and drops further bytes for a second, because
 * an immediate close could discard the answer (RFC 9112 §9.6).
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
  // The caller may have closed the connection.
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  socket.resume();
}

/** Refuses CONNECT: no server of ours is a proxy. */
export function refuseTunnel(
  socket: Duplex,
  options: { form?: ErrorForm | undefined; shell?: Shell | undefined },
): void {
  const refusal = new ApiError('METHOD_NOT_ALLOWED', HTTP_TEXTS('no-tunnel'));
  endWithRefusal(socket, refusal, { ...options, headers: { allow: METHODS } });
}

/** Refuses an expectation other than `100-continue` (RFC 9110 §10.1.1). */
export function expectationUnknown(): ApiError {
  return new ApiError('FORMAT_ERROR', HTTP_TEXTS('expectation-unknown'), { status: 417 });
}

/** Refuses a request without Host (RFC 9112 §3.2). */
export function hostMissing(): ApiError {
  return new ApiError('FORMAT_ERROR', HTTP_TEXTS('host-missing'));
}
