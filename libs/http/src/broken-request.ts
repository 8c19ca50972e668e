import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiError } from '@kontoport/errors';
import { errorReply } from './error-reply.ts';

/** Answers, and ends, a connection on which nothing came that is HTTP enough to be a request. */
export function endWithRefusal(socket: Duplex, refusal: ApiError): void {
  const requestId = randomUUID();
  const { status, headers, body } = errorReply(refusal, { requestId, accept: undefined, language: 'en' });
  const lines = Object.entries({
    ...headers,
    'x-request-id': requestId,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}
