import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { exchange, rawGet, readRaw } from '@kontoport/testing/raw-http';
import { said } from '@kontoport/testing/said';
import { z } from 'zod';
import { route, serve } from './served.ts';

const routes = [
  route({
    method: 'POST',
    path: '/notes',
    security: { kind: 'public' },
    body: { json: z.strictObject({ text: z.string(), tags: z.array(z.string()).optional() }) },
    handler: async ({ body }) => ({ status: 201, json: body }),
  }),
  route({
    method: 'GET',
    path: '/notes',
    security: { kind: 'public' },
    query: z.strictObject({ limit: z.coerce.number().int().max(500).optional() }),
    handler: async ({ query }) => ({ status: 200, json: query }),
  }),
  route({
    method: 'GET',
    path: '/notes/:id',
    security: { kind: 'public' },
    params: z.object({ id: z.string() }),
    handler: async ({ params }) => ({ status: 200, json: params }),
  }),
  route({
    method: 'DELETE',
    path: '/notes/:id',
    security: { kind: 'public' },
    params: z.object({ id: z.string() }),
    handler: async () => ({ status: 204 }),
  }),
  route({
    method: 'GET',
    path: '/guarded',
    security: { kind: 'known' },
    handler: async () => ({ status: 200, json: {} }),
  }),
  route({
    method: 'GET',
    path: '/broken',
    security: { kind: 'public' },
    handler: async () => {
      throw new Error('password of the database: hunter2');
    },
  }),
  route({
    method: 'POST',
    path: '/oauth',
    security: { kind: 'public' },
    body: { form: z.object({ grant: z.string() }) },
    errors: 'oauth',
    handler: async ({ body }) => {
      throw new ApiError('ROLE_INVALID', said(`"${body.grant}" \\ æ is not granted`));
    },
  }),
];

let served: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  served = await serve({ routes, prefixes: ['/aisp-pisp'] });
});
afterAll(async () => {
  await served.close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(served.origin + path, init);
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, json: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

const json = { 'content-type': 'application/json' };
const post = (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = json) =>
  ask('/notes', { method: 'POST', headers, body });

/** A POST whose length is not announced, of `size` bytes. */
async function postChunked(size: number): Promise<{ status: number; json: Record<string, unknown> }> {
  const request = httpRequest({
    port: served.port,
    host: '127.0.0.1',
    path: '/notes',
    method: 'POST',
    headers: json,
  });
  const answered = once(request, 'response') as Promise<[import('node:http').IncomingMessage]>;
  request.on('error', () => {});
  const chunk = Buffer.alloc(8_192, 0x20);
  for (let sent = 0; sent < size; sent += chunk.length)
    if (!request.write(chunk)) await Promise.race([once(request, 'drain'), answered]);
  request.end();
  const [response] = await answered;
  let text = '';
  for await (const part of response) text += String(part);
  return { status: response.statusCode!, json: JSON.parse(text) as Record<string, unknown> };
}

describe('a body that is not as specified (§7)', () => {
  it('is accepted if it is as specified', async () => {
    expect(await post('{"text":"x"}')).toMatchObject({ status: 201, json: { text: 'x' } });
    expect((await post('{"text":"x"}', { 'content-type': 'Application/JSON; Charset="UTF-8"' })).status).toBe(
      201,
    );
  });

  it.each<[string, string | Buffer<ArrayBuffer>, string[]]>([
    ['an empty body', '', []],
    ['broken JSON', '{"text":', []],
    ['two values', '{"text":"x"}{}', []],
    ['a comment', '{"text":"x"} // hello', []],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), []],
    ['a lone continuation byte in a string', Buffer.from('{"text":"\x80"}', 'latin1'), []],
    ['33 levels', `{"text":${'['.repeat(32)}${']'.repeat(32)}}`, []],
    ['60,000 open brackets', '['.repeat(60_000), []],
    ['a wrong type', '{"text":1}', ['text']],
    ['a missing field', '{}', ['text']],
    ['an unknown field', '{"text":"x","txet":"y"}', ['txet']],
    ['an unknown field named __proto__', '{"text":"x","__proto__":{"tags":[]}}', ['__proto__']],
    ['a fault deep inside', '{"text":"x","tags":["a",2]}', ['tags.1']],
    ['no object', '[]', ['']],
    ['null', 'null', ['']],
  ])('is 400 FORMAT_ERROR for %s', async (_what, body, paths) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json).toMatchObject({
      errorCode: 'FORMAT_ERROR',
      message: expect.any(String),
      requestId: answer.headers.get('x-request-id'),
    });
    const details = (answer.json.details ?? []) as { path: string }[];
    expect(details.map(({ path }) => path)).toEqual(paths);
  });

  it('counts only brackets outside of strings', async () => {
    expect((await post(JSON.stringify({ text: '["\\'.repeat(100) }))).status).toBe(201);
  });

  it('names at most 50 faults', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, 1]));
    expect((await post(JSON.stringify(unknown))).json.details).toHaveLength(50);
    expect((await post(JSON.stringify({ text: 'x', tags: Array(500).fill(1) }))).json.details).toHaveLength(
      50,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['no content type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['compression', { ...json, 'content-encoding': 'gzip' }],
  ])('is 415 for %s', async (_what, headers) => {
    expect(await post('{"text":"x"}', headers)).toMatchObject({
      status: 415,
      json: { errorCode: 'FORMAT_ERROR' },
    });
  });

  it.each([65_537, 1_000_000])('is 413 for %d bytes, announced', async (size) => {
    const fits = `{"text":"${'x'.repeat(65_536 - 11)}"}`;
    expect((await post(fits)).status).toBe(201);
    expect(await post(' '.repeat(size))).toMatchObject({
      status: 413,
      json: { errorCode: 'PAYLOAD_TOO_LARGE' },
    });
  });

  it.each([70_000, 1_000_000])('is 413 for %d bytes in chunks, without announced length', async (size) => {
    expect(await postChunked(size)).toMatchObject({ status: 413, json: { errorCode: 'PAYLOAD_TOO_LARGE' } });
  });

  it('keeps the connection for the next request after a refused body', async () => {
    const head =
      'POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n';
    const answers = await exchange(served.port, head + ' '.repeat(500_000) + rawGet('/notes', []));
    expect([...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['413', '200']);
  });

  it('answers a caller with an endless body, each time, and closes the connection', async () => {
    const head = `POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(3_000_000, 0x20)]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(served.port, bytes)));
    expect(answers.map((answer) => readRaw(answer).status)).toEqual(answers.map(() => 413));
  });

  it('answers a caller with endless chunks', async () => {
    const head = `POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    expect(readRaw(await exchange(served.port, head + chunk.repeat(40))).status).toBe(413);
  });
});

describe('a request without a route (§7)', () => {
  it.each(['/', '/nothing', '/notes/1/2', '/Notes', '/aisp-pisp', '/aisp-pisp/aisp-pisp/notes'])(
    'is 404 ROUTE_UNKNOWN at %s',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, json: { errorCode: 'ROUTE_UNKNOWN' } });
    },
  );

  it.each(['PUT', 'PATCH'])('is 405 with Allow for %s', async (method) => {
    const answer = await ask('/notes/1', { method });
    expect(answer).toMatchObject({ status: 405, json: { errorCode: 'METHOD_NOT_ALLOWED' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, DELETE, OPTIONS');
  });

  it.each([
    ['/notes/1', 'GET, HEAD, DELETE, OPTIONS'],
    ['/aisp-pisp/notes/1', 'GET, HEAD, DELETE, OPTIONS'],
    ['/oauth', 'POST, OPTIONS'],
    ['/guarded', 'GET, HEAD, OPTIONS'],
  ])('is 204 with Allow for OPTIONS %s, for every caller', async (path, allow) => {
    const answer = await ask(path, { method: 'OPTIONS', headers: { 'x-request-id': 'of-the-caller' } });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.headers.get('x-request-id')).toBe('of-the-caller');
  });

  it('is 404 for OPTIONS of an unknown path', async () => {
    expect(await ask('/nothing', { method: 'OPTIONS' })).toMatchObject({ status: 404 });
  });

  it.each(['/notes/%', '/notes/%zz', '/notes/%ff', '/aisp-pisp/notes/%c3%28'])(
    'is 400 at the malformed path %s',
    async (path) => {
      const { status, json: body } = readRaw(await exchange(served.port, rawGet(path, [])));
      expect([status, body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    },
  );

  it.each([
    ['what is no HTTP', 'hello\r\n\r\n'],
    ['a header without colon', rawGet('/notes', ['broken'])],
    ['two lengths', rawGet('/notes', ['Content-Length: 1', 'Content-Length: 2'])],
    ['length and chunks', rawGet('/notes', ['Content-Length: 1', 'Transfer-Encoding: chunked'])],
  ])('is 400 as JSON for %s', async (_what, bytes) => {
    const { status, json: body, head } = readRaw(await exchange(served.port, bytes));
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorCode: 'FORMAT_ERROR', requestId: expect.any(String) });
    expect(head.toLowerCase()).toContain('connection: close');
  });
});

describe('a header that names the host or the caller occurs once (§4)', () => {
  const twice: [string, string[]][] = [
    ['two Authorizations', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['the same Authorization twice', ['Authorization: Bearer a', 'authorization: Bearer a']],
    ['two Hosts', ['Host: y']],
  ];

  it.each(
    twice.flatMap(([what, lines]) =>
      ['/notes', '/guarded', '/nothing'].map((path): [string, string, string[]] => [path, what, lines]),
    ),
  )('%s with %s is 400', async (path, _what, lines) => {
    const { status, json: body } = readRaw(
      await exchange(served.port, rawGet(path, ['X-Name: Anna', ...lines])),
    );
    expect([status, body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect(body.message).toMatch(/^The header (Authorization|Host) stands more than once\.$/);
  });

  it.each(twice)('with %s is 400 in the form of RFC 6749, where that is the form', async (_what, lines) => {
    const head = ['POST /oauth HTTP/1.1', 'Host: x', 'Connection: close', 'Content-Length: 0', ...lines];
    const { status, json: body } = readRaw(await exchange(served.port, `${head.join('\r\n')}\r\n\r\n`));
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('query parameters', () => {
  it.each(['limit=1&limit=2', 'limit=x', 'limit=501', 'unknown=1', 'limit[]=1', '%6cimit=1&limit=1'])(
    'rejects ?%s',
    async (query) => {
      expect(await ask(`/notes?${query}`)).toMatchObject({
        status: 400,
        json: { errorCode: 'FORMAT_ERROR' },
      });
    },
  );

  it('are rejected by a guarded route without any, and ignored by a public document', async () => {
    const headers = { 'x-name': 'Anna' };
    expect((await ask('/guarded', { headers })).status).toBe(200);
    const refused = await ask('/guarded?form=2024-01-01', { headers });
    expect(refused).toMatchObject({
      status: 400,
      json: { details: [{ path: 'query.form', message: 'is unknown' }] },
    });
    expect((await ask('/notes/1?v=2')).json).toEqual({ id: '1' });
  });
});

describe('X-Request-Id (§4)', () => {
  it('is returned, in answers and in errors', async () => {
    const headers = { 'X-Request-ID': 'a.B-3_' };
    expect((await ask('/notes', { headers })).headers.get('x-request-id')).toBe('a.B-3_');
    for (const path of ['/nothing', '/broken', '/notes?x=1']) {
      const refused = await ask(path, { headers });
      expect(refused.headers.get('x-request-id')).toBe('a.B-3_');
      expect(refused.json.requestId).toBe('a.B-3_');
    }
  });

  it('is generated when the caller sends none', async () => {
    expect((await ask('/notes')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['empty', ['X-Request-Id:']],
    ['too long', [`X-Request-Id: ${'x'.repeat(129)}`]],
    ['with a blank', ['X-Request-Id: a b']],
    ['with markup', ['X-Request-Id: <b>']],
    ['twice', ['X-Request-Id: a', 'X-Request-Id: b']],
  ])('is refused when it is sent %s, under a generated id', async (_how, lines) => {
    const { status, json: body, head } = readRaw(await exchange(served.port, rawGet('/notes', lines)));
    expect([status, body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(head.toLowerCase()).toContain(`x-request-id: ${String(body.requestId)}`);
  });
});

describe('the shape of an error (§7)', () => {
  it('is RFC 9457 if Accept prefers it', async () => {
    const answer = await ask('/nothing', { headers: { accept: 'application/problem+json, */*' } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toEqual({
      type: '/errors/ROUTE_UNKNOWN',
      title: 'Not Found',
      status: 404,
      detail: 'No route has this path.',
      errorCode: 'ROUTE_UNKNOWN',
      message: 'No route has this path.',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  it.each([
    ['application/problem+json', true],
    ['application/problem+json, */*', true],
    ['application/problem+json;q=0.9, application/json;q=0.5', true],
    ['Application/Problem+JSON ; Q=0.9 , application/json; q=0.5', true],
    ['application/json, application/problem+json', false],
    ['application/problem+json, application/json', false],
    ['application/json, application/problem+json;q=0.1', false],
    ['application/problem+json;q=0.5, */*', false],
    ['application/problem+json;q=0.5, application/*;q=0.6, */*;q=0.1', false],
    ['application/problem+json;q=0', false],
    ['application/problem+json;q=x', false],
    ['application/problem+json-seq', false],
    ['*/*', false],
    ['', false],
  ])('weighs Accept: %s', async (accept, problem) => {
    const answer = await ask('/nothing', { headers: { accept } });
    expect(answer.headers.get('content-type')).toMatch(problem ? /problem\+json/ : /^application\/json;/);
    expect(answer.json).toMatchObject({ errorCode: 'ROUTE_UNKNOWN', message: 'No route has this path.' });
  });

  it('never contains internals', async () => {
    const answer = await ask('/broken');
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      errorCode: 'INTERNAL_ERROR',
      message: expect.any(String),
      requestId: expect.any(String),
    });
    expect(answer.text).not.toContain('hunter2');
  });

  it('is RFC 6749 §5.2 if the route declares it: ASCII without quotes, and 401 for a client without grants', async () => {
    const answer = await ask('/oauth', { method: 'POST', body: new URLSearchParams({ grant: 'x' }) });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ error: 'invalid_client', error_description: "'x' / ae is not granted" });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(answer.headers.get('pragma')).toBe('no-cache');
  });

  it('has no body in the answer to HEAD', async () => {
    expect(await ask('/nothing', { method: 'HEAD' })).toMatchObject({ status: 404, text: '' });
    expect(await ask('/notes', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });
});

describe('the prefix /aisp-pisp (§4)', () => {
  it('serves the same routes and refusals', async () => {
    expect((await ask('/aisp-pisp/notes/7')).json).toEqual({ id: '7' });
    const answer = await ask('/aisp-pisp/notes/7', { method: 'PUT' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS']);
    expect((await ask('/aisp-pisp/guarded')).status).toBe(401);
  });
});
