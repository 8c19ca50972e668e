import { ApiError, ERROR_CODES } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import { exchange, rawGet, readRaw } from '@kontoport/testing/raw-http';
import { said } from '@kontoport/testing/said';
import { z } from 'zod';
import { route, serve } from './served.ts';

const ID = '3F2504E0-4F89-41D3-9A0C-0305E82C3301';
const NONE = '00000000-0000-0000-0000-000000000000';
const fromAnother = new ApiError('CLIENT_UNKNOWN', said('Not yours.'));

/** The number of checks whether a list exists. */
let looked = 0;

const routes = [
  route({
    method: 'PUT',
    path: '/things/:thingId',
    security: { kind: 'known' },
    params: z.object({ thingId: uuid }),
    resource: async ({ params, principal }) => {
      if (params.thingId === NONE) throw new ApiError('RESOURCE_UNKNOWN', said('There is no such thing.'));
      return { id: params.thingId, owner: principal.name };
    },
    query: z.strictObject({ dry: z.enum(['yes', 'no']).optional() }),
    body: { json: z.strictObject({ size: z.number() }) },
    answers: { 200: { description: 'The thing.', json: z.unknown(), example: {} } },
    handler: async ({ resource, params, query, body }) => ({
      status: 200,
      json: { resource, params, query, body },
    }),
  }),
  route({
    method: 'GET',
    path: '/lists/:listId',
    security: { kind: 'public' },
    params: z.object({ listId: uuid }),
    exists: async ({ params }) => {
      looked += 1;
      if (params.listId === NONE) throw new ApiError('RESOURCE_UNKNOWN', said('There is no such list.'));
    },
    query: z.strictObject({ cursor: z.string().max(3).optional() }),
    handler: async ({ query }) => {
      if (query.cursor === 'old') throw new ApiError('CURSOR_INVALID', said('Start again.'));
      return { status: 200, json: {} };
    },
  }),
  route({
    method: 'GET',
    path: '/owned/:id/parts/:part',
    security: { kind: 'public' },
    params: z.object({ id: uuid, part: z.string().regex(/^\d+$/).transform(Number) }),
    unknown: () => fromAnother,
    handler: async ({ params }) => ({ status: 200, json: params }),
  }),
  route({
    method: 'GET',
    path: '/confirmation',
    security: { kind: 'known' },
    body: { json: z.strictObject({ amount: z.number() }), optional: true },
    handler: async ({ body }) => ({ status: 200, json: { amount: body?.amount ?? 'none' } }),
  }),
  route({
    method: 'POST',
    path: '/form',
    security: { kind: 'public' },
    body: { form: z.object({ name: z.string() }), optional: true },
    handler: async ({ body }) => ({ status: 200, json: { name: body?.name ?? 'none' } }),
  }),
  route({
    method: 'GET',
    path: '/who',
    security: { kind: 'public' },
    handler: async ({ requestId, givenRequestId, language }) => ({
      status: 200,
      json: { requestId, givenRequestId: givenRequestId ?? 'none', language },
    }),
  }),
];

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve({ routes });
});
afterAll(() => served.close());

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(served.origin + path, init);
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}

/** A GET whose body is sent with it, as `GET /funds-confirmation` has one (§4.3). */
async function getWithBody(path: string, lines: readonly string[], body: string) {
  const all = ['X-Name: Anna', ...lines, `Content-Length: ${Buffer.byteLength(body)}`];
  return readRaw(await exchange(served.port, rawGet(path, all) + body));
}

describe('the steps of a route (§5, §7)', () => {
  const put = (options: { name?: string; id?: string; query?: string; body?: unknown }) => {
    const { name, id = ID, query = '', body = { size: 1 } } = options;
    return ask(`/things/${id}${query}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...(name === undefined ? {} : { 'x-name': name }) },
      body: JSON.stringify(body),
    });
  };

  it('pass their results to the handler', async () => {
    const id = ID.toLowerCase();
    expect(await put({ name: 'Anna', query: '?dry=yes' })).toMatchObject({
      status: 200,
      json: {
        resource: { id, owner: 'Anna' },
        params: { thingId: id },
        query: { dry: 'yes' },
        body: { size: 1 },
      },
    });
  });

  // Each request has all the faults of the following ones, too.
  it.each([
    ['401 for who proves nothing', { id: 'x', query: '?dry=x', body: {} }, 401, 'CERTIFICATE_MISSING'],
    ['404 for a malformed id', { name: 'Bo', id: 'x', query: '?dry=x', body: {} }, 404, 'RESOURCE_UNKNOWN'],
    [
      '404 for what is not there',
      { name: 'Bo', id: NONE, query: '?dry=x', body: {} },
      404,
      'RESOURCE_UNKNOWN',
    ],
    ['400 for the query', { name: 'Bo', query: '?dry=x', body: {} }, 400, 'FORMAT_ERROR'],
    ['400 for the body', { name: 'Bo', body: {} }, 400, 'FORMAT_ERROR'],
  ])('refuse in order: %s', async (_what, options, status, errorCode) => {
    expect(await put(options)).toMatchObject({ status, json: { errorCode } });
  });

  it('keep the connection usable when the body was not read', async () => {
    const body = JSON.stringify({ size: 1 });
    const head = `PUT /things/${NONE} HTTP/1.1\r\nHost: x\r\nX-Name: Anna\r\nContent-Type: application/json\r\n`;
    const answers = await exchange(
      served.port,
      `${head}Content-Length: ${body.length}\r\n\r\n${body}${rawGet('/who', [])}`,
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['404', '200']);
  });
});

describe('a route that decides existence while it reads', () => {
  it('does not call `exists` without need', async () => {
    looked = 0;
    expect((await ask(`/lists/${ID}`)).status).toBe(200);
    expect(looked).toBe(0);
  });

  it.each([
    ['a query that is not as specified', 'cursor=long', 'FORMAT_ERROR'],
    ['what the handler refuses', 'cursor=old', 'CURSOR_INVALID'],
  ])('answers 404 before 400, with %s', async (_what, query, errorCode) => {
    expect(await ask(`/lists/${NONE}?${query}`)).toMatchObject({
      status: 404,
      json: { errorCode: 'RESOURCE_UNKNOWN' },
    });
    expect(await ask(`/lists/${ID}?${query}`)).toMatchObject({ status: 400, json: { errorCode } });
  });
});

describe('the parameters of a path', () => {
  it('are read by their schema', async () => {
    expect((await ask(`/owned/${ID}/parts/7`)).json).toEqual({ id: ID.toLowerCase(), part: 7 });
  });

  it.each([`/owned/x/parts/7`, `/owned/${ID}/parts/x`, `/owned/${ID}x/parts/7`])(
    "are refused by the route's rule: %s",
    async (path) => {
      expect(await ask(path)).toMatchObject({
        status: 404,
        json: { errorCode: 'CLIENT_UNKNOWN', message: 'Not yours.' },
      });
    },
  );

  it('must have the names of the path', () => {
    const declare = () =>
      route({
        method: 'GET',
        path: '/things/:thingId/parts/:part',
        security: { kind: 'public' },
        params: z.object({ thingId: uuid }),
        handler: async () => ({ status: 204 }),
      });
    expect(declare).toThrow('/things/:thingId/parts/:part: the schema of the parameters has thingId');
  });
});

describe('uuid', () => {
  it.each([ID, NONE, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '01890a5d-ac96-774b-bcce-b302099a8057'])(
    'accepts %s, of any version, in lower case',
    (text) => {
      expect(uuid.parse(text)).toBe(text.toLowerCase());
    },
  );

  it.each(['', 'x', `${ID}0`, ID.replaceAll('-', ''), `{${ID}}`])('refuses %j', (text) => {
    expect(uuid.safeParse(text).success).toBe(false);
  });
});

describe('a body that may be absent', () => {
  const json = 'Content-Type: application/json';

  it('is read if present, also with GET', async () => {
    expect((await getWithBody('/confirmation', [json], '{"amount":12}')).json).toEqual({ amount: 12 });
  });

  it.each([
    ['without length', () => ask('/confirmation', { headers: { 'x-name': 'Anna' } })],
    ['of no bytes', () => getWithBody('/confirmation', [json], '')],
  ])('is absent %s', async (_how, send) => {
    expect(await send()).toMatchObject({ status: 200, json: { amount: 'none' } });
  });

  it('is refused like any other body that is not as specified', async () => {
    expect(await getWithBody('/confirmation', [json], '{"amount":"x"}')).toMatchObject({
      status: 400,
      json: { errorCode: 'FORMAT_ERROR', details: [{ path: 'amount' }] },
    });
    expect((await getWithBody('/confirmation', ['Content-Type: text/plain'], '{"amount":1}')).status).toBe(
      415,
    );
  });

  it('may be a form', async () => {
    const sent = await ask('/form', { method: 'POST', body: new URLSearchParams({ name: 'Bo' }) });
    expect(sent.json).toEqual({ name: 'Bo' });
    expect((await ask('/form', { method: 'POST' })).json).toEqual({ name: 'none' });
  });

  it.each([
    ['name=Bo+%26+J%C3%B6rg&&other=1&__proto__=2', 200, { name: 'Bo & Jörg' }],
    ['name=a%3Db=c%zz', 200, { name: 'a=b=c%zz' }],
    ['name', 200, { name: '' }],
    ['?name=Bo', 400, { errorCode: 'FORMAT_ERROR' }],
    ['name=a&name=b', 400, { errorCode: 'FORMAT_ERROR' }],
    ['name=a&other=1&other=1', 400, { errorCode: 'FORMAT_ERROR' }],
    ['name=a&__proto__=1&__proto__=1', 400, { errorCode: 'FORMAT_ERROR' }],
  ])('reads %s literally', async (body, status, json) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await ask('/form', { method: 'POST', headers, body });
    expect(answer).toMatchObject({ status, json });
  });

  it('reads every field of a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const many = Array.from({ length: 2_000 }, (_, at) => `field${at}=1`).join('&');
    const statusOf = async (body: string): Promise<number> =>
      (await ask('/form', { method: 'POST', headers, body })).status;
    expect(await statusOf(`${many}&name=a`)).toBe(200);
    expect(await statusOf(`name=a&${many}&name=b`)).toBe(400);
  });
});

describe("the caller's own request id", () => {
  it('differs from a generated one', async () => {
    const given = await ask('/who', { headers: { 'x-request-id': 'mine' } });
    expect(given.json).toMatchObject({ requestId: 'mine', givenRequestId: 'mine' });
    const none = await ask('/who');
    expect(none.json).toMatchObject({
      requestId: none.headers.get('x-request-id'),
      givenRequestId: 'none',
    });
  });
});

describe('X-Language (§4)', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['en', 'en'],
    ['da', 'da'],
    ['sv', 'sv'],
    ['nb', 'nb'],
    ['no', 'nb'],
    ['NB-no', 'nb'],
    ['da_DK', 'da'],
    [' sv-FI ', 'sv'],
    ['da, en;q=0.5', 'da'],
    ['de', 'en'],
    ['__proto__', 'en'],
  ])('%j is answered in %s', async (given, language) => {
    const headers: Record<string, string> = given === undefined ? {} : { 'x-language': given };
    expect((await ask('/who', { headers })).json.language).toBe(language);
  });

  const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

  it.each([
    ['da', 'da'],
    ['de, sv;q=0.8, da;q=0.9', 'da'],
    ['fr-FR, nn, no;q=0.7, en;q=0.3', 'nb'],
    ['da;q=0, sv;q=0.1', 'sv'],
    ['*', 'en'],
    ['fr', 'en'],
    ['', 'en'],
  ])(
    'is, for a browser that asks for a page, Accept-Language: %j is answered in %s',
    async (given, language) => {
      const headers = { accept: BROWSER, 'accept-language': given };
      expect((await ask('/who', { headers })).json.language).toBe(language);
    },
  );

  it.each([
    ['a program', { accept: 'application/json', 'accept-language': 'da' }, 'en'],
    ['whoever says X-Language', { accept: BROWSER, 'accept-language': 'da', 'x-language': 'sv' }, 'sv'],
    [
      'whoever says one that we do not speak',
      { accept: BROWSER, 'accept-language': 'da', 'x-language': 'fi' },
      'en',
    ],
  ])('is not Accept-Language for %s', async (_who, headers, language) => {
    expect((await ask('/who', { headers })).json.language).toBe(language);
  });

  it('puts the translated sentence of the code before an English message, with Content-Language', async () => {
    for (const [given, message] of [
      ['da', `${ERROR_CODES.RESOURCE_UNKNOWN.cause.da} There is no such resource for this client.`],
      ['fi', 'There is no such resource for this client.'],
    ] as const) {
      const refused = await ask('/things/x', {
        method: 'PUT',
        headers: { 'x-name': 'Anna', 'x-language': given },
      });
      expect(refused.json.message).toBe(message);
      expect(refused.headers.get('content-language')).toBe(given === 'da' ? 'da' : 'en');
    }
  });
});
