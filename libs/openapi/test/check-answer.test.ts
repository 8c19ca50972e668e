import { type Answer, checkError, createAnswerCheck } from '../src/check-answer.ts';
import { buildDocument } from '../src/document.ts';
import type { Json } from '../src/json.ts';
import { INTERFACE, ROUTES } from './routes.ts';

const document = JSON.parse(JSON.stringify(buildDocument(INTERFACE, ROUTES))) as Json;
const check = createAnswerCheck([document]);

const limits = { 'ratelimit-policy': '"client";q=2;w=1', ratelimit: '"client";r=1;t=1' };
const json = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r1', ...limits };
const refused = { ...json, 'content-language': 'en' };
const things = [{ amount: 125.5, currency: 'DKK' }];

function list(status: number, body: unknown, headers: Record<string, unknown> = json): Answer {
  return { method: 'GET', path: '/accounts/:accountId/things', status, headers, body: JSON.stringify(body) };
}

const unavailable = { errorCode: 'UNAVAILABLE', message: 'x', requestId: 'r1' };

describe('an answer as the document tells it', () => {
  it.each<[string, Answer]>([
    ['with what is required', list(200, { things })],
    ['with what is optional', list(200, { things: [], next: 'n' })],
    ['as bytes', { ...list(200, {}), body: Buffer.from(JSON.stringify({ things })) }],
    ['to HEAD, without a body', { ...list(200, {}), method: 'HEAD', body: undefined }],
    [
      'without a body',
      {
        ...list(204, {}),
        method: 'DELETE',
        path: '/payments/things/:thingId',
        headers: { 'x-request-id': '1', deprecation: '@1', link: '<l>', sunset: 's', ...limits },
        body: undefined,
      },
    ],
    [
      'as a page',
      {
        method: 'GET',
        path: '/page',
        status: 200,
        headers: { ...json, 'content-type': 'text/html' },
        body: '<p>',
      },
    ],
    ['as a refusal', list(503, unavailable, { ...refused, 'retry-after': '1' })],
    [
      'as a refusal with details',
      list(
        400,
        { errorCode: 'CURSOR_INVALID', message: 'x', requestId: 'r', details: [{ path: 'a', message: 'b' }] },
        refused,
      ),
    ],
    [
      'as a problem',
      list(
        404,
        {
          type: '/errors/FORMAT_ERROR',
          title: 'Not Found',
          status: 404,
          detail: 'x',
          errorCode: 'RESOURCE_UNKNOWN',
          message: 'x',
          requestId: 'r',
        },
        { ...refused, 'content-type': 'application/problem+json' },
      ),
    ],
    [
      'at the token endpoint',
      {
        ...list(400, { error: 'invalid_request', error_description: 'x' }, refused),
        method: 'POST',
        path: '/oauth2/token',
      },
    ],
    [
      'of no route',
      {
        ...list(404, { errorCode: 'ROUTE_UNKNOWN', message: 'x', requestId: 'r' }, refused),
        path: undefined,
      },
    ],
  ])('has no fault %s', (_what, answer) => {
    expect(check(answer)).toEqual([]);
  });
});

describe('an answer that its document does not tell', () => {
  const operation = 'GET /accounts/{accountId}/things';

  it.each<[string, Answer, string]>([
    ['a status', list(418, {}), `${operation} 418 is no status that the document has`],
    [
      'a type',
      list(200, { things: [{ ...things[0], amount: '125.50' }] }),
      `${operation} 200 things.0.amount: must be number`,
    ],
    ['a missing member', list(200, {}), `${operation} 200 must have required property 'things'`],
    [
      'an unknown member',
      list(200, { things, more: 1 }),
      `${operation} 200 must NOT have additional properties (more)`,
    ],
    [
      'an unknown member of a shared schema',
      list(200, { things: [{ ...things[0], sign: '+' }] }),
      `${operation} 200 things.0: must NOT have additional properties (sign)`,
    ],
    ['a missing header', list(503, unavailable, refused), `${operation} 503 has no header Retry-After`],
    [
      'a missing limit',
      list(200, { things }, { ...json, ratelimit: undefined }),
      `${operation} 200 has no header RateLimit`,
    ],
    [
      'another media type',
      list(200, { things }, { ...json, 'content-type': 'text/plain' }),
      `${operation} 200 is text/plain, not application/json`,
    ],
    ['what is no JSON', { ...list(200, {}), body: '{' }, `${operation} 200 is no JSON`],
    [
      'an errorCode of another route',
      list(400, { errorCode: 'FUNDS_INSUFFICIENT', message: 'x', requestId: 'r' }, refused),
      `${operation} 400 errorCode: must be equal to one of the allowed values: FORMAT_ERROR, CURSOR_INVALID`,
    ],
    [
      'a body where there is none',
      { ...list(303, 'x', { ...json, location: '/' }), path: '/page' },
      'GET /page 303 has a body, and the document none',
    ],
    [
      'an error of RFC 6749 that does not go with the status',
      {
        ...list(400, { error: 'invalid_client', error_description: 'x' }, refused),
        method: 'POST',
        path: '/oauth2/token',
      },
      'POST /oauth2/token 400 error: must be equal to one of the allowed values: invalid_authorization_details, invalid_grant, invalid_request, invalid_scope, request_not_supported, unsupported_grant_type, unsupported_response_type',
    ],
    ['a route', { ...list(200, {}), path: '/other' }, 'GET /other 200 is in no document'],
    [
      'an errorCode of no route',
      { ...list(409, { errorCode: 'DUPLICATE_ID' }), path: undefined },
      'GET (no route) 409 has the errorCode DUPLICATE_ID',
    ],
  ])('has the fault of %s', (_what, answer, fault) => {
    expect(check(answer)).toContain(fault);
  });

  it('has a fault without a document, too, when errorCode and status do not go together', () => {
    const answer = {
      ...list(409, { errorCode: 'RATE_LIMITED', message: 'x', requestId: 'r' }),
      path: '/other',
    };
    expect(checkError(answer)).toEqual(['GET /other 409 is no status of RATE_LIMITED']);
    expect(checkError({ ...answer, status: 429 })).toEqual([]);
  });
});

describe('an answer that was given before', () => {
  it('is not read again, however often it is given', () => {
    const { parse } = JSON;
    let read = 0;
    const answer = list(200, { things: [], next: 'often' });
    JSON.parse = (text: string): unknown => {
      read += 1;
      return parse(text);
    };
    try {
      for (let i = 0; i < 3; i += 1) expect(check({ ...answer, headers: { ...json } })).toEqual([]);
      expect(check({ ...answer, body: Buffer.from(String(answer.body)) })).toEqual([]);
    } finally {
      JSON.parse = parse;
    }
    expect(read).toBe(1);
  });

  it('has its fault each time', () => {
    const answer = list(200, { things, other: 1 });
    for (let i = 0; i < 3; i += 1)
      expect(check(answer)).toEqual([
        'GET /accounts/{accountId}/things 200 must NOT have additional properties (other)',
      ]);
  });

  it('is checked anew for another status, another operation or another media type, and its headers each time', () => {
    const body = { things: [] };
    expect(check(list(200, body))).toEqual([]);
    const refusal = list(503, body, { ...refused, 'retry-after': '1' });
    expect(check(refusal)).not.toEqual([]);
    expect(check({ ...refusal, method: 'POST', path: '/oauth2/token', status: 400 })).not.toEqual([]);
    expect(check({ ...list(200, body), headers: { ...json, ratelimit: undefined } })).toEqual([
      'GET /accounts/{accountId}/things 200 has no header RateLimit',
    ]);
  });

  it.each(['application/json', 'application/problem+json'])('is one of its media type alone: %s', (type) => {
    const problem = {
      type: '/errors/FORMAT_ERROR',
      title: 'Not Found',
      status: 404,
      detail: 'x',
      errorCode: 'RESOURCE_UNKNOWN',
      message: 'x',
      requestId: 'r',
    };
    const faults = check(list(404, problem, { ...refused, 'content-type': type }));
    expect(faults.length > 0).toBe(type === 'application/json');
  });
});
