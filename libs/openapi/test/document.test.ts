import { ERROR_CODES } from '@kontoport/errors';
import { z } from 'zod';
import type { DescribedRoute } from '../src/described-route.ts';
import { buildDocument, operationId } from '../src/document.ts';
import { lintDocument } from '../src/lint.ts';
import { refusalsOf } from '../src/refusals.ts';
import { INTERFACE, ROUTES } from './routes.ts';

const find = (method: string, path: string): DescribedRoute =>
  ROUTES.find((route) => route.method === method && route.path === path)!;

describe('the document of an interface (§4, §9)', () => {
  const document = buildDocument(INTERFACE, ROUTES);

  it('is OpenAPI 3.1 without a fault by the strict rules, its examples included', async () => {
    expect(document.openapi).toBe('3.1.1');
    expect(await lintDocument(document)).toEqual([]);
  });

  it('has every route under its path, with the clause, and no other', () => {
    const operations = Object.entries(document.paths!).flatMap(([path, item]) =>
      Object.keys(item).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    const declared = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(operations.toSorted()).toEqual(declared.toSorted());
    expect(document.paths!['/payments/things/{thingId}']!.post).toMatchObject({
      summary: 'A new thing',
      description: 'Contract: §4.4, §7.',
      'x-clause': ['§4.4', '§7'],
      security: [{ certificate: [], oauth: ['PSP_PI'] }],
    });
  });

  it('names the address and what can stand before its paths', () => {
    expect(document.servers!.map(({ url }) => url)).toEqual(['{base_url}', '{base_url}/aisp-pisp']);
  });

  it('tells what is deprecated, since when, until when and why', () => {
    const { deprecated, responses } = document.paths!['/payments/things/{thingId}']!.delete!;
    expect(deprecated).toBe(true);
    expect(Object.keys((responses!['204'] as { headers: object }).headers)).toEqual([
      'X-Request-Id',
      'RateLimit-Policy',
      'RateLimit',
      'Deprecation',
      'Link',
      'Sunset',
    ]);
  });

  it('keeps answers open for new members, and bodies closed', () => {
    const { post } = document.paths!['/payments/things/{thingId}']!;
    expect(post).toMatchObject({
      requestBody: { content: { 'application/json': { schema: { additionalProperties: false } } } },
    });
    expect(JSON.stringify(post!.responses)).not.toContain('additionalProperties');
  });

  it('tells an answer that is read with a transformation as its input', () => {
    const upper = z.object({ id: z.string().transform((text) => text.toUpperCase()) });
    const route = { ...ROUTES[0]!, answers: { 200: { description: 'One.', json: upper } } };
    const { get } = buildDocument(INTERFACE, [route]).paths!['/accounts/{accountId}/things']!;
    expect(get!.responses!['200']).toMatchObject({
      content: { 'application/json': { schema: { properties: { id: { type: 'string' } } } } },
    });
  });

  it('is refused when a body has no example', () => {
    const route = { ...find('POST', '/tpp'), body: { json: z.strictObject({}) } };
    expect(() => buildDocument(INTERFACE, [route])).toThrow('POST /tpp: its body has no example');
  });

  it('fails the rules when the example of a body is not of its schema', async () => {
    const body = { json: z.strictObject({ name: z.string() }), example: { nam: 'x' } };
    expect(await lintDocument(buildDocument(INTERFACE, [{ ...find('POST', '/tpp'), body }]))).toContainEqual(
      expect.stringContaining('#/paths/~1tpp/post/requestBody/content'),
    );
  });

  it('is refused when a route is declared twice', () => {
    expect(() => buildDocument(INTERFACE, [...ROUTES, ROUTES[0]!])).toThrow('is declared twice');
  });

  it.each([
    ['an undeclared parameter of the path', undefined],
    ['a parameter that the path does not have', z.object({ thingId: z.string(), other: z.string() })],
  ])('is refused with %s', (_what, params) => {
    const { params: _params, ...rest } = find('POST', '/payments/things/:thingId');
    const route = { ...rest, ...(params === undefined ? {} : { params }) };
    expect(() => buildDocument(INTERFACE, [route])).toThrow('POST /payments/things/:thingId: its params are');
  });

  it('fails the rules when an example is not of its schema', async () => {
    const [route, ...rest] = ROUTES;
    const [answer] = Object.values(route!.answers);
    const wrong = { ...route!, answers: { 200: { ...answer!, example: { things: [{ amount: '1' }] } } } };
    expect(await lintDocument(buildDocument(INTERFACE, [wrong, ...rest]))).toEqual([
      expect.stringContaining('#/paths/~1accounts~1{accountId}~1things/get/responses/200/content'),
      expect.stringContaining('no-invalid-media-type-examples'),
    ]);
  });
});

describe('the rules for documents', () => {
  it('want an answer that grants what was asked for, a redirect among them', async () => {
    const withOnly = (status: number) =>
      buildDocument(INTERFACE, [
        { ...find('POST', '/tpp'), answers: { [status]: { description: 'x', redirect: true as const } } },
      ]);
    expect(await lintDocument(withOnly(303))).toEqual([]);
    expect(await lintDocument(withOnly(304))).toEqual([expect.stringContaining('rule/grants-something')]);
  });
});

describe('the refusals of a route (§7)', () => {
  const certificate = [
    'CERTIFICATE_MISSING',
    'CERTIFICATE_INVALID',
    'CERTIFICATE_EXPIRED',
    'CERTIFICATE_REVOKED',
  ];
  const token = ['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED'];
  const always = { 500: ['INTERNAL_ERROR'], 503: ['UNAVAILABLE'] };

  it.each([
    [
      'a token with a scope, refused as 403, parameters, a query and a refusal of its own',
      find('GET', '/accounts/:accountId/things'),
      {
        400: ['FORMAT_ERROR', 'CURSOR_INVALID'],
        401: certificate,
        403: [...token, 'SCOPE_INSUFFICIENT'],
        404: ['RESOURCE_UNKNOWN'],
        429: ['RATE_LIMITED'],
        431: ['FORMAT_ERROR'],
        ...always,
      },
    ],
    [
      'a body and refusals under their own statuses',
      find('POST', '/payments/things/:thingId'),
      {
        400: ['FORMAT_ERROR'],
        401: [...certificate, ...token],
        403: ['SCOPE_INSUFFICIENT'],
        404: ['RESOURCE_UNKNOWN'],
        409: ['DUPLICATE_ID', 'STATUS_INVALID'],
        413: ['PAYLOAD_TOO_LARGE'],
        415: ['FORMAT_ERROR'],
        429: ['RATE_LIMITED'],
        ...always,
      },
    ],
    ['a public page', find('GET', '/page'), { 400: ['FORMAT_ERROR'], ...always }],
    [
      'a certificate, refused as 403',
      find('POST', '/tpp'),
      { 400: ['FORMAT_ERROR'], 403: [...certificate, 'ROLE_INVALID'], 429: ['RATE_LIMITED'], ...always },
    ],
  ])('follow from %s', (_what, route, expected) => {
    expect(Object.fromEntries(refusalsOf(route))).toEqual(expected);
  });

  it('take what an unknown parameter answers from the route', () => {
    const route = { ...find('DELETE', '/payments/things/:thingId') };
    const unknown = () => ({ code: 'CLIENT_UNKNOWN' as const, status: 404 });
    expect(refusalsOf({ ...route, unknown }).get(404)).toEqual(['CLIENT_UNKNOWN']);
  });

  it('come with their causes and cures, and say when to repeat and what to prove', () => {
    const { responses } = buildDocument(INTERFACE, ROUTES).components!;
    expect(responses!['503-Unavailable']).toMatchObject({
      description: expect.stringContaining(ERROR_CODES.UNAVAILABLE.cure.en),
      headers: { 'Retry-After': expect.anything(), 'Content-Language': expect.anything() },
    });
    expect(responses!['429-RateLimited']).toMatchObject({
      headers: {
        'Retry-After': expect.anything(),
        'RateLimit-Policy': expect.anything(),
        RateLimit: expect.anything(),
      },
    });
    expect(responses!['401-Certificate-Token']).toMatchObject({
      headers: { 'WWW-Authenticate': expect.anything() },
    });
  });

  it('do not take the name of a group of which they are a part', () => {
    const whole = find('POST', '/tpp');
    const part: DescribedRoute = {
      ...whole,
      path: '/other',
      security: { kind: 'certificate' },
      refusals: [{ code: 'CERTIFICATE_INVALID', status: 403 }, 'ROLE_INVALID'],
    };
    const { components } = buildDocument(INTERFACE, [whole, part]);
    const names = Object.keys(components!.responses!).filter((name) => name.startsWith('403'));
    expect(names).toEqual(['403-Certificate-RoleInvalid', '403-CertificateInvalid-RoleInvalid']);
  });

  it('are those of RFC 6749 at the token endpoint, which knows no 403', () => {
    const { responses } = buildDocument(INTERFACE, [
      { ...find('POST', '/oauth2/token'), refusals: ['ROLE_INVALID'] },
    ]).components!;
    expect(Object.keys(responses!)).toContain('oauth-401-Certificate-RoleInvalid');
    expect(JSON.stringify(responses)).not.toContain('#/components/schemas/Error');
  });

  it('are pages where a browser asks', () => {
    const { responses } = buildDocument(INTERFACE, ROUTES).components!;
    expect(responses!['html-503-Unavailable']).toMatchObject({ content: { 'text/html': expect.anything() } });
  });
});

describe('the id of an operation', () => {
  it.each([
    ['GET', '/v2/accounts/:accountId/transactions', 'getV2AccountsByAccountIdTransactions'],
    ['DELETE', '/tpp/:clientId', 'deleteTppByClientId'],
    ['GET', '/.well-known/jwks.json', 'getWellKnownJwksJson'],
  ])('of %s %s is %s', (method, path, id) => {
    expect(operationId({ method, path })).toBe(id);
  });
});
