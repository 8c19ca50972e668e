import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import type { Deprecation } from '@kontoport/http';
import { escapeHtml, html } from '@kontoport/pages';
import { exchange, rawGet, readRaw } from '@kontoport/testing/raw-http';
import { said } from '@kontoport/testing/said';
import { route, serve } from './served.ts';

const security = { kind: 'public' } as const;
const refuse = async (): Promise<never> => {
  throw new ApiError('UNAVAILABLE', said('The <bank> is away.'), { retryAfterSeconds: 7 });
};
const deprecated: Deprecation = {
  since: new Date('2026-03-01T12:00:00Z'),
  sunset: new Date('2027-03-01T12:00:00Z'),
  link: 'https://bank.test/changes',
};

/** The reported deliveries of answers. */
const deliveries: boolean[] = [];
let entered = Promise.withResolvers<void>();

const routes = [
  route({
    method: 'GET',
    path: '/told',
    security,
    handler: async () => ({ status: 200, json: {}, delivered: (whole) => deliveries.push(whole) }),
  }),
  route({
    method: 'GET',
    path: '/told-of-nothing',
    security,
    handler: async () => ({
      status: 200,
      headers: { 'set-cookie': 'a=b', 'x-note': 'two\nlines' },
      json: {},
      delivered: (whole) => deliveries.push(whole),
    }),
  }),
  route({
    method: 'GET',
    path: '/told-late',
    security,
    handler: async ({ signal }) => {
      entered.resolve();
      await once(signal, 'abort');
      return { status: 200, json: {}, delivered: (whole) => deliveries.push(whole) };
    },
  }),
  route({
    method: 'GET',
    path: '/text',
    security,
    handler: async () => ({ status: 200, jsonText: '{"amount":1.10}' }),
  }),
  route({
    method: 'GET',
    path: '/bytes',
    security,
    handler: async () => ({ status: 200, bytes: Buffer.from([0, 255, 10]), type: 'text/plain' }),
  }),
  route({
    method: 'GET',
    path: '/page',
    security,
    handler: async () => ({
      status: 200,
      page: { language: 'da', title: 'Hej <b>', body: html`<p>Hej</p>` },
    }),
  }),
  route({
    method: 'GET',
    path: '/away',
    security,
    handler: async () => ({
      status: 303,
      redirect: 'https://tpp.test/back?a=1',
      headers: { 'set-cookie': ['one=1; Path=/', 'two=2; Path=/'] },
    }),
  }),
  route({ method: 'GET', path: '/none', security, handler: async () => ({ status: 204 }) }),
  route({
    method: 'GET',
    path: '/kept',
    security,
    handler: async () => ({ status: 200, headers: { 'cache-control': 'public, max-age=300' }, json: {} }),
  }),
  route({ method: 'GET', path: '/broken-page', security, errors: 'html', handler: refuse }),
  route({
    method: 'GET',
    path: '/own-page',
    security,
    errors: ({ error, language }) => ({
      language,
      title: `${error.code} ${language}`,
      body: html`<p>own</p>`,
    }),
    handler: refuse,
  }),
  route({
    method: 'GET',
    path: '/old',
    security,
    deprecated,
    handler: async () => ({
      status: 200,
      headers: { link: '<https://bank.test/next>; rel="next"' },
      json: {},
    }),
  }),
  route({
    method: 'GET',
    path: '/old-without-end',
    security,
    deprecated: { since: deprecated.since, link: deprecated.link },
    handler: refuse,
  }),
];

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve({ routes });
});
afterAll(() => served.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(served.origin + path, { headers, redirect: 'manual' });

describe('a reply', () => {
  it('can be serialized JSON', async () => {
    const answer = await ask('/text');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.text()).toBe('{"amount":1.10}');
  });

  it('can be bytes of the given type, with nosniff', async () => {
    const answer = await ask('/bytes');
    expect(answer.headers.get('content-type')).toBe('text/plain');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 10]);
  });

  it('can be a page under a strict policy, in a language', async () => {
    const answer = await ask('/page');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      ),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-language': 'da',
    });
    expect(await answer.text()).toMatch(/<h1>Hej &lt;b&gt;<\/h1>\s*<p>Hej<\/p>/);
  });

  it('can redirect, with several cookies', async () => {
    const answer = await ask('/away');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, 'https://tpp.test/back?a=1']);
    expect(answer.headers.getSetCookie()).toEqual(['one=1; Path=/', 'two=2; Path=/']);
    expect(await answer.text()).toBe('');
  });

  it('can be empty', async () => {
    const answer = await ask('/none');
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([204, null, '']);
  });

  it('is complete despite If-None-Match', async () => {
    const given = rawGet('/text', ['If-None-Match: *', 'If-Modified-Since: Fri, 31 Dec 9999 23:59:59 GMT']);
    expect(readRaw(await exchange(served.port, given))).toMatchObject({ status: 200, json: { amount: 1.1 } });
  });

  it('forbids caching by default', async () => {
    expect((await ask('/text')).headers.get('cache-control')).toBe('no-store');
    expect((await ask('/kept')).headers.get('cache-control')).toBe('public, max-age=300');
  });
});

describe('a refusal on a page', () => {
  it("is a page in the caller's language, under a strict policy, with escaped text", async () => {
    const answer = await ask('/broken-page', { 'x-language': 'sv', 'x-request-id': 'r-1' });
    expect(answer.status).toBe(503);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'content-language': 'sv',
      'cache-control': 'no-store',
      'retry-after': '7',
      'x-request-id': 'r-1',
    });
    const page = await answer.text();
    expect(page).toContain('<html lang="sv">');
    expect(page).toContain('<h1>Sidan kan inte visas</h1>');
    expect(page).toContain('The &lt;bank&gt; is away.');
    expect(page).toContain('r-1');
  });

  it('can be a page of the route', async () => {
    const answer = await ask('/own-page', { 'x-language': 'no' });
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<h1>UNAVAILABLE nb</h1>');
  });

  it('can hold any text', () => {
    expect(escapeHtml(`<a href="x" title='&'>`)).toBe('&lt;a href=&quot;x&quot; title=&#39;&amp;&#39;&gt;');
  });
});

describe('a deprecated route (§9)', () => {
  it('states deprecation, sunset and documentation (RFC 9745, RFC 8594)', async () => {
    const { headers } = await ask('/old');
    expect(headers.get('deprecation')).toBe('@1772366400');
    expect(headers.get('sunset')).toBe('Mon, 01 Mar 2027 12:00:00 GMT');
    expect(headers.get('link')).toBe(
      '<https://bank.test/next>; rel="next", ' +
        '<https://bank.test/changes>; rel="deprecation"; type="text/html", ' +
        '<https://bank.test/changes>; rel="sunset"; type="text/html"',
    );
  });

  it('states them in a refusal, too, without an undecided sunset', async () => {
    const { status, headers } = await ask('/old-without-end');
    expect([status, headers.get('deprecation'), headers.get('sunset')]).toEqual([503, '@1772366400', null]);
    expect(headers.get('link')).toBe('<https://bank.test/changes>; rel="deprecation"; type="text/html"');
  });

  it('leaves other routes without these headers', async () => {
    const { headers } = await ask('/text');
    expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('`delivered` is called once (§4.2)', () => {
  beforeEach(() => {
    deliveries.length = 0;
    entered = Promise.withResolvers();
  });

  it('with true when the whole reply was sent', async () => {
    await (await fetch(`${served.origin}/told`)).json();
    await until(() => deliveries.length > 0, { what: 'the delivery' });
    expect(deliveries).toEqual([true]);
  });

  it('with false when the caller disconnected before', async () => {
    const away = new AbortController();
    const broken = fetch(`${served.origin}/told-late`, { signal: away.signal }).catch(() => 'broken');
    await entered.promise;
    away.abort();
    expect(await broken).toBe('broken');
    await until(() => deliveries.length > 0, { what: 'the delivery' });
    expect(deliveries).toEqual([false]);
  });

  it('with false when a refusal was sent instead', async () => {
    // Sets a header first, as at the end of a connection's life: Node then records headers one by one.
    const end = (message: unknown): void =>
      void (message as { response: ServerResponse }).response.setHeader('connection', 'close');
    subscribe('http.server.request.start', end);
    const { status, statusText, headers } = await fetch(`${served.origin}/told-of-nothing`);
    unsubscribe('http.server.request.start', end);
    expect([status, statusText]).toEqual([500, 'Internal Server Error']);
    expect([headers.get('set-cookie'), headers.get('connection')]).toEqual([null, 'close']);
    await fetch(`${served.origin}/told`);
    await until(() => deliveries.length > 1, { what: 'the next delivery' });
    expect(deliveries).toEqual([false, true]);
  });
});
