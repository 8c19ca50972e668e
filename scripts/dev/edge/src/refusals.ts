import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { type ErrorForm, languageOf, refusalReply, requestIdOf } from '@kontoport/http/refusing';
import { ADDRESSES } from '@kontoport/service/addresses';
import type { EdgeAddress } from './routes.ts';
import { EDGE_TEXTS } from './texts.ts';

/** The refusals of the edge itself. All other answers come from the services. */
export const REFUSALS = {
  chainTooLarge: new ApiError('CERTIFICATE_INVALID', EDGE_TEXTS('chain-too-large')),
  // At POST /tpp every fault of the certificate is 403 (§7).
  chainTooLargeToRegister: new ApiError('CERTIFICATE_INVALID', EDGE_TEXTS('chain-too-large'), {
    status: 403,
  }),
  unreachable: new ApiError('UNAVAILABLE', EDGE_TEXTS('unreachable')),
  broken: new ApiError('UNAVAILABLE', EDGE_TEXTS('broken'), { status: 502 }),
  late: new ApiError('UNAVAILABLE', EDGE_TEXTS('late'), { status: 504 }),
  malformed: new ApiError('FORMAT_ERROR', EDGE_TEXTS('malformed')),
  headersTooLarge: new ApiError('FORMAT_ERROR', EDGE_TEXTS('headers-too-large'), { status: 431 }),
  slow: new ApiError('FORMAT_ERROR', EDGE_TEXTS('slow'), { status: 408 }),
} as const;

/** Refuses a chain that is too long for the services. */
export function chainTooLarge(address: EdgeAddress, { method, url = '' }: IncomingMessage): ApiError {
  const registers = address === 'registration' && method === 'POST' && url.split('?', 1)[0] === '/tpp';
  return registers ? REFUSALS.chainTooLargeToRegister : REFUSALS.chainTooLarge;
}

/** Paths of OAuth errors at their address; other paths there answer in JSON. */
const OAUTH = /^\/oauth2(\/|\?|$)/;

/** Returns the form of a refusal at an address. @param target of the request, if it is known */
export function formOf(address: EdgeAddress, target?: string): ErrorForm | undefined {
  const { errors } = ADDRESSES[`${address}_url`];
  return errors === 'oauth' && target !== undefined && !OAUTH.test(target) ? undefined : errors;
}

/** Sends a refusal. Cuts an answer that has begun: the client must not take it for a complete one. */
export function refuse(response: ServerResponse, refusal: ApiError, form: ErrorForm | undefined): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const request: IncomingMessage = response.req;
  const { requestId } = requestIdOf(request);
  const { status, headers, body } = refusalReply(refusal, {
    form,
    requestId,
    accept: request.headers.accept,
    language: languageOf(request),
  });
  response
    .writeHead(status, {
      ...headers,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}
