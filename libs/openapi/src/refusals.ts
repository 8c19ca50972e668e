import { STATUS_CODES } from 'node:http';
import { ERROR_CODES, type ErrorCode, type ErrorEntry } from '@kontoport/errors';
import { problemType } from '@kontoport/http/errors';
import type { ZodOpenApiObject } from 'zod-openapi';
import type { DescribedRoute } from './described-route.ts';
import { errorSchema, oauthErrorSchema, problemSchema } from './shared-schemas.ts';

type Responses = NonNullable<NonNullable<ZodOpenApiObject['components']>['responses']>;
type Response = Responses[string];

const CERTIFICATE = [
  'CERTIFICATE_MISSING',
  'CERTIFICATE_INVALID',
  'CERTIFICATE_EXPIRED',
  'CERTIFICATE_REVOKED',
] as const;
const TOKEN = ['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED'] as const;

/** Codes that come with a challenge in `WWW-Authenticate` under any status; every 401 does. */
const CHALLENGED: readonly ErrorCode[] = [...TOKEN, 'SCOPE_INSUFFICIENT'];
const REPEATABLE: readonly ErrorCode[] = ['UNAVAILABLE', 'RATE_LIMITED'];

const REQUEST_ID = '3b9f7c52-7a51-4f0e-9a34-5a0a3d1c2b4e';

/** Returns the refusals of a route as responses of its document. Equal ones share a name. */
export function refusalsOf(route: DescribedRoute): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  const add = (codes: readonly ErrorCode[], given?: number): void => {
    for (const code of codes) {
      const status = given ?? ERROR_CODES[code].status;
      const known = byStatus.get(status) ?? [];
      byStatus.set(status, known.includes(code) ? known : [...known, code]);
    }
  };
  const { security } = route;
  // A query has no limit of its own: a long one makes the head of the request too large.
  if (route.query !== undefined) add(['FORMAT_ERROR'], 431);
  // A request id, a query or an escape in the path that is malformed.
  add(['FORMAT_ERROR']);
  if (security.kind === 'certificate') add(CERTIFICATE, security.certificateRefusal);
  if (security.kind === 'token') add(CERTIFICATE);
  if (security.kind === 'token') add(TOKEN, security.tokenRefusal);
  if (security.kind !== 'public') add(['RATE_LIMITED']);
  if (security.kind === 'token' && security.scope !== undefined) add(['SCOPE_INSUFFICIENT']);
  if (route.params !== undefined || route.resource !== undefined) {
    const { code, status } = route.unknown?.() ?? { code: 'RESOURCE_UNKNOWN' };
    add([code], status);
  }
  if (route.body !== undefined) {
    add(['FORMAT_ERROR'], 415);
    add(['PAYLOAD_TOO_LARGE']);
  }
  for (const refusal of route.refusals ?? [])
    if (typeof refusal === 'string') add([refusal]);
    else add([refusal.code], refusal.status);
  add(['INTERNAL_ERROR', 'UNAVAILABLE']);
  return new Map([...byStatus].toSorted(([one], [other]) => one - other));
}

/** Returns the refusals of a route as responses of its document. Equal ones share a name. */
export function refusalResponses(
  route: DescribedRoute,
): { status: number; name: string; response: Response }[] {
  const refusals = [...refusalsOf(route)];
  if (route.errors === 'oauth')
    return oauthStatuses(refusals).map(([status, codes]) => oauthResponse(status, codes));
  if (!sendsJson(route)) return refusals.map(([status, codes]) => htmlResponse(status, codes));
  const responses = refusals.map(([status, codes]) => jsonResponse(status, codes));
  return route.errors === 'developers' ? responses.map(alsoPage) : responses;
}

/** Whether the refusals of a route are JSON; a browser that prefers a page may get one instead. */
export const sendsJson = ({ errors }: DescribedRoute): boolean =>
  errors === undefined || errors === 'developers';

function jsonResponse(status: number, codes: readonly ErrorCode[]) {
  const message = entryOf(codes[0]!).cause.en;
  const example = { errorCode: codes[0]!, message, requestId: REQUEST_ID };
  const oneOfThem = {
    type: 'object' as const,
    properties: { errorCode: { type: 'string' as const, enum: [...codes] } },
  };
  const response: Response = {
    description: describe(status, codes),
    headers: { ...headersOf(codes), ...(status === 401 ? header('WWW-Authenticate') : {}) },
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: ref(errorSchema) }, oneOfThem] },
        example,
      },
      'application/problem+json': {
        schema: { allOf: [{ $ref: ref(problemSchema) }, oneOfThem] },
        example: {
          type: problemType(codes[0]!),
          title: STATUS_CODES[status],
          status,
          detail: message,
          errorCode: codes[0]!,
          message,
          requestId: REQUEST_ID,
        },
      },
    },
  };
  return { status, name: `${status}-${nameOf(codes)}`, response };
}

/** Adds a page to an answer, for browsers that prefer one. */
function alsoPage({ status, name, response }: ReturnType<typeof jsonResponse>) {
  const content = { ...response.content, 'text/html': { schema: { type: 'string' as const } } };
  return { status, name: `page-${name}`, response: { ...response, content } };
}

/** RFC 6749 has no 403: a certificate without grants does not authenticate the client. */
function oauthStatuses(refusals: [number, ErrorCode[]][]): [number, ErrorCode[]][] {
  const merged = new Map<number, ErrorCode[]>();
  for (const [status, codes] of refusals) {
    const shown = status === 403 ? 401 : status;
    merged.set(shown, [...(merged.get(shown) ?? []), ...codes]);
  }
  return [...merged];
}

const OAUTH_ERRORS: Readonly<Record<number, readonly string[]>> = {
  400: [
    'invalid_authorization_details',
    'invalid_grant',
    'invalid_request',
    'invalid_scope',
    'request_not_supported',
    'unsupported_grant_type',
    'unsupported_response_type',
  ],
  401: ['invalid_client'],
  429: ['temporarily_unavailable'],
  500: ['server_error'],
  503: ['temporarily_unavailable'],
};

function oauthResponse(status: number, codes: readonly ErrorCode[]) {
  const errors = OAUTH_ERRORS[status] ?? ['invalid_request'];
  const response: Response = {
    description: describe(status, codes),
    headers: {
      ...headersOf(codes.filter((code) => REPEATABLE.includes(code))),
      ...(status === 401 ? header('WWW-Authenticate') : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: ref(oauthErrorSchema) },
            { type: 'object', properties: { error: { type: 'string', enum: [...errors] } } },
          ],
        },
        example: { error: errors[0], error_description: entryOf(codes[0]!).cause.en },
      },
    },
  };
  return { status, name: `oauth-${status}-${nameOf(codes)}`, response };
}

function htmlResponse(status: number, codes: readonly ErrorCode[]) {
  const response: Response = {
    description: describe(status, codes),
    headers: {
      ...headersOf(codes.filter((code) => REPEATABLE.includes(code))),
      ...(status === 401 ? header('WWW-Authenticate') : {}),
    },
    content: { 'text/html': { schema: { type: 'string' } } },
  };
  return { status, name: `html-${status}-${nameOf(codes)}`, response };
}

function headersOf(codes: readonly ErrorCode[]): Record<string, { $ref: `#/components/headers/${string}` }> {
  return {
    ...header('X-Request-Id'),
    ...header('Content-Language'),
    ...(codes.some((code) => REPEATABLE.includes(code)) ? header('Retry-After') : {}),
    ...(codes.includes('RATE_LIMITED') ? rateLimitHeaders() : {}),
    ...(codes.some((code) => CHALLENGED.includes(code)) ? header('WWW-Authenticate') : {}),
  };
}

/** Headers of every answer to an authenticated caller (§8). */
export function rateLimitHeaders() {
  return { ...header('RateLimit-Policy'), ...header('RateLimit') };
}

/** A header of the shared ones. */
export function header(name: string) {
  return { [name]: { $ref: `#/components/headers/${name}` } } as const;
}

function describe(status: number, codes: readonly ErrorCode[]): string {
  const lines = codes.map((code) => `- \`${code}\`: ${entryOf(code).cause.en} ${entryOf(code).cure.en}`);
  return `${STATUS_CODES[status]}.\n\n${lines.join('\n')}`;
}

function entryOf(code: ErrorCode): ErrorEntry {
  return ERROR_CODES[code];
}

/** `Certificate-Token`, `ScopeInsufficient`: the codes, the groups that always go together by their common name. */
function nameOf(codes: readonly ErrorCode[]): string {
  // Part of a group is not the group: the answer of that name is another.
  const isOf = (group: readonly ErrorCode[], code: ErrorCode): boolean =>
    group.includes(code) && group.every((each) => codes.includes(each));
  const groups = new Set(
    codes.map((code) => {
      if (isOf(CERTIFICATE, code)) return 'Certificate';
      if (isOf(TOKEN, code)) return 'Token';
      return code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    }),
  );
  return [...groups].join('-');
}

function ref(schema: { meta(): { id?: string } | undefined }): string {
  return `#/components/schemas/${schema.meta()!.id!}`;
}
