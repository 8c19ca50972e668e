import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@kontoport/errors';
import {
  discardRest,
  type ErrorForm,
  hasBody,
  languageOf,
  refusalReply,
  requestIdOf,
} from '@kontoport/http/refusing';
import { ADDRESSES } from '@kontoport/service/addresses';
import type { EdgeAddress } from './routes.ts';
import { EDGE_TEXTS } from './texts.ts';

/** What the edge itself may answer; everything else comes from the services. */
export const REFUSALS = {
  chainTooLarge: new ApiError('CERTIFICATE_INVALID', EDGE_TEXTS('chain-too-large')),
  // Every fault of the certificate is 403 there (§7).
  chainTooLargeToRegister: new ApiError('CERTIFICATE_INVALID', EDGE_TEXTS('chain-too-large'), {
    status: 403,
  }),
  unreachable: new ApiError('UNAVAILABLE', EDGE_TEXTS('unreachable')),
  broken: new ApiError('UNAVAILABLE', EDGE_TEXTS('broken'), { status: 502 }),
  late: new ApiError('UNAVAILABLE', EDGE_TEXTS('late'), { status: 504 }),
  malformed: new ApiError('FORMAT_ERROR', EDGE_TEXTS('malformed')),
  headersTooLarge: new ApiError('FORMAT_ERROR', EDGE_TEXTS('headers-too-large'), { status: 431 }),
  plain: new ApiError('FORMAT_ERROR', EDGE_TEXTS('plain')),
  slow: new ApiError('FORMAT_ERROR', EDGE_TEXTS('slow'), { status: 408 }),
} as const;

/** The refusal of a chain that no service could take. */
export function chainTooLarge(address: EdgeAddress, { method, url = '' }: IncomingMessage): ApiError {
  const registers = address === 'registration' && method === 'POST' && url.split('?', 1)[0] === '/tpp';
  return registers ? REFUSALS.chainTooLargeToRegister : REFUSALS.chainTooLarge;
}

/** Where the token endpoint is; what else stands at its address answers in JSON. */
const OAUTH = /^\/oauth2(\/|\?|$)/;

/** The shape of a refusal at an address; `target` is the request's, where there is one. */
export function formOf(address: EdgeAddress, target?: string): ErrorForm | undefined {
  const { errors } = ADDRESSES[`${address}_url`];
  return errors === 'oauth' && target !== undefined && !OAUTH.test(target) ? undefined : errors;
}

/** Whether all of a request is there: one without body is, though Node says so only a moment later. */
export const isWhole = (request: IncomingMessage): boolean => request.complete || !hasBody(request);

/** Sends a refusal; once an answer has begun, only cutting it off tells the client the truth. */
export function refuse(response: ServerResponse, refusal: ApiError, form: ErrorForm | undefined): void {
  if (response.headersSent || response.destroyed) {
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
  response.writeHead(status, {
    ...headers,
    'x-request-id': requestId,
    'content-length': Buffer.byteLength(body),
    ...(isWhole(request) ? {} : { connection: 'close' }),
  });
  if (request.method !== 'HEAD') response.write(body);
  endAfterRest(response);
}

/**
 * Ends an answer that is written, its length announced. What the caller still sends is taken first: a connection that
 * is closed under it could take the answer with it.
 */
export function endAfterRest(response: ServerResponse): void {
  if (isWhole(response.req)) response.end();
  else discardRest(response.req, () => response.end());
}
