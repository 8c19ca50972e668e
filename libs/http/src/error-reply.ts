import { STATUS_CODES } from 'node:http';
import {
  type ApiError,
  detailToWire,
  type ErrorCode,
  type Language,
  oauthDescription,
} from '@kontoport/errors';
import type { RenderedPage } from '@kontoport/pages';
import { problemType } from './error-routes.ts';
import { HTML_TYPE } from './page.ts';
import { prefersProblem } from './preference.ts';
import { JSON_TYPE } from './reply.ts';

/** An error in its wire format. */
export interface ErrorReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const BASE = { 'cache-control': 'no-store' };

/** `{errorCode, message, requestId, details?}`, or RFC 9457 where the caller's Accept asks for it (§7). */
export function errorReply(
  error: ApiError,
  request: { requestId: string; accept: string | undefined; language: Language },
): ErrorReply {
  const { code: errorCode, status } = error;
  const { requestId, language } = request;
  const message = error.messageIn(language);
  const details = error.details.map((detail) => detailToWire(detail, language));
  const extra = details.length > 0 ? { details } : {};
  const problem = prefersProblem(request.accept);
  const body = problem
    ? {
        type: problemType(errorCode),
        title: STATUS_CODES[status],
        status,
        detail: message,
        errorCode,
        message,
        requestId,
        ...extra,
      }
    : { errorCode, message, requestId, ...extra };
  return {
    status,
    headers: {
      ...BASE,
      ...challenge(error),
      ...retryAfter(error),
      'content-language': language,
      'content-type': problem ? 'application/problem+json' : JSON_TYPE,
    },
    body: JSON.stringify(body),
  };
}

/** RFC 6749 §5.2: `{error, error_description}`. */
export function oauthErrorReply(error: ApiError): ErrorReply {
  // RFC 6749 has no 403: a certificate without grants does not authenticate the client.
  const status = error.status === 403 ? 401 : error.status;
  return {
    status,
    headers: {
      ...BASE,
      pragma: 'no-cache',
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="kontoport", charset="UTF-8"' } : {}),
      ...retryAfter(error),
      'content-language': 'en',
      'content-type': JSON_TYPE,
    },
    body: JSON.stringify({
      error: error.oauthError ?? oauthCode(status),
      error_description: oauthDescription(error.message),
    }),
  };
}

/** The page of a refusal, for people. */
export function pageErrorReply(
  error: ApiError,
  { html, headers }: RenderedPage,
  language: Language,
): ErrorReply {
  return {
    status: error.status,
    headers: {
      ...BASE,
      'content-type': HTML_TYPE,
      ...challenge(error),
      ...retryAfter(error),
      'content-language': language,
      ...headers,
    },
    body: html,
  };
}

function oauthCode(status: number): string {
  if (status === 401) return 'invalid_client';
  // The token endpoint has no code for 429; this one means the same: retry later.
  if (status === 503 || status === 429) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** The `error` of RFC 6750 §3.1. */
const BEARER_ERRORS: Partial<Record<ErrorCode, string>> = {
  TOKEN_INVALID: 'invalid_token',
  TOKEN_EXPIRED: 'invalid_token',
  SCOPE_INSUFFICIENT: 'insufficient_scope',
};

/**
 * `WWW-Authenticate` (RFC 6750 §3): with every 401 (RFC 9110 §15.5.2) and every refusal of a token. No scheme exists
 * for a certificate of the TLS handshake, so the header names the token that is bound to it.
 */
function challenge({ code, status, scope }: ApiError): Record<string, string> {
  const error = BEARER_ERRORS[code];
  if (status !== 401 && error === undefined && code !== 'TOKEN_MISSING') return {};
  const parts = [
    'realm="kontoport"',
    ...(error ? [`error="${error}"`] : []),
    ...(scope ? [`scope="${scope}"`] : []),
  ];
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` };
}

function retryAfter({ retryAfterSeconds }: ApiError): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}
