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

/** Sends a refusal; once an answer has begun, only cutting it off tells the client the truth. */
export function refuse(response: ServerResponse, refusal: ApiError, form: ErrorForm | undefined): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const request: IncomingMessage = response.req;
  const isWhole = request.complete || !hasBody(request);
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
    ...(isWhole ? {} : { connection: 'close' }),
  });
  if (request.method !== 'HEAD') response.write(body);
  // A connection that is closed under a caller who still sends could take the answer with it.
  if (isWhole) response.end();
  else discardRest(request, () => response.end());
}
