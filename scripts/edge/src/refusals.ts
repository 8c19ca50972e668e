import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { errorReply, languageOf, requestIdOf } from '@kontoport/http/refusing';
import { EDGE_TEXTS } from './texts.ts';

/** What the edge itself may answer; everything else comes from the services. */
export const REFUSALS = {
  chainTooLarge: new ApiError('CERTIFICATE_INVALID', EDGE_TEXTS('chain-too-large')),
  unreachable: new ApiError('UNAVAILABLE', EDGE_TEXTS('unreachable')),
  broken: new ApiError('UNAVAILABLE', EDGE_TEXTS('broken'), { status: 502 }),
  late: new ApiError('UNAVAILABLE', EDGE_TEXTS('late'), { status: 504 }),
  malformed: new ApiError('FORMAT_ERROR', EDGE_TEXTS('malformed')),
  headersTooLarge: new ApiError('FORMAT_ERROR', EDGE_TEXTS('headers-too-large'), { status: 431 }),
  slow: new ApiError('FORMAT_ERROR', EDGE_TEXTS('slow'), { status: 408 }),
} as const;

/** Sends a refusal; once an answer has begun, only cutting it off tells the client the truth. */
export function refuse(
  response: ServerResponse,
  refusal: ApiError,
  { requestId } = requestIdOf(response.req),
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const request: IncomingMessage = response.req;
  const { status, headers, body } = errorReply(refusal, {
    requestId,
    accept: request.headers.accept,
    language: languageOf(request.headers),
  });
  // What is left of an unread body is not worth reading: the connection ends with the answer.
  if (!request.complete) response.setHeader('connection', 'close');
  response
    .writeHead(status, { ...headers, 'x-request-id': requestId, 'content-length': Buffer.byteLength(body) })
    .end(request.method === 'HEAD' ? undefined : body);
}
