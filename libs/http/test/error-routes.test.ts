import { ERROR_CODES } from '@kontoport/errors';
import { errorRoutes } from '../src/error-routes.ts';
import { serve } from './served.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve({ routes: errorRoutes() });
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, server.origin), { headers });

describe('the type of a problem opens the page of its code (§7)', () => {
  it('from the very answer, as a relative reference', async () => {
    const refused = await get('/nothing/at/all', { accept: 'application/problem+json' });
    const { type } = (await refused.json()) as { type: string };
    const page = await fetch(new URL(type, refused.url), { headers: { accept: BROWSER } });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    for (const part of ['<h1>ROUTE_UNKNOWN</h1>', '404 Not Found', ERROR_CODES.ROUTE_UNKNOWN.cure.en])
      expect(text).toContain(part);
  });

  it.each(Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[])('for %s', async (code) => {
    const response = await get(`/errors/${code}`, { 'x-language': 'da' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-language')).toBe('da');
    expect(response.headers.get('vary')).toBe('Accept, Accept-Language, X-Language');
    expect(await response.json()).toEqual({
      errorCode: code,
      statuses: expect.arrayContaining([ERROR_CODES[code].status]),
      cause: ERROR_CODES[code].cause.da,
      cure: ERROR_CODES[code].cure.da,
    });
  });

  it.each([
    ['en', 'Cause', 'Cure', 'Example'],
    ['da', 'Årsag', 'Løsning', 'Eksempel'],
    ['sv', 'Orsak', 'Åtgärd', 'Exempel'],
    ['nb', 'Årsak', 'Løsning', 'Eksempel'],
  ] as const)(
    'in %s, with cause, cure and an example that is such a problem',
    async (language, ...labels) => {
      const response = await get('/errors/FORMAT_ERROR', { accept: BROWSER, 'x-language': language });
      const page = (await response.text()).replaceAll('&quot;', '"');
      expect(page).toContain(`<html lang="${language}">`);
      const { cause, cure } = ERROR_CODES.FORMAT_ERROR;
      for (const part of [...labels, cause[language], cure[language]]) expect(page).toContain(`>${part}<`);
      expect(page).toContain('>400 Bad Request, 408 Request Timeout, ');
      expect(JSON.parse(/<pre[^>]*><code>([^]*)<\/code>/.exec(page)![1]!)).toEqual({
        type: '/errors/FORMAT_ERROR',
        title: 'Bad Request',
        status: 400,
        detail: cause[language],
        errorCode: 'FORMAT_ERROR',
        message: cause[language],
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
    },
  );

  it('and lists all of them, as JSON or as a page', async () => {
    const { errors } = (await (await get('/errors')).json()) as { errors: { errorCode: string }[] };
    expect(errors.map(({ errorCode }) => errorCode)).toEqual(Object.keys(ERROR_CODES));
    const page = await (await get('/errors', { accept: BROWSER })).text();
    expect(page).toContain('<a href="/errors/TOKEN_EXPIRED"><code>TOKEN_EXPIRED</code></a>');
  });

  it.each(['UNHEARD_OF', 'toString', '__proto__', 'token_expired'])('has none for %s', async (code) => {
    const response = await get(`/errors/${code}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errorCode: 'RESOURCE_UNKNOWN' });
  });

  it.each<[string | undefined, RegExp]>([
    [undefined, /^application\/json/],
    ['*/*', /^application\/json/],
    ['application/json, text/html', /^application\/json/],
    ['text/html;q=0.1, application/json', /^application\/json/],
    ['text/html', /^text\/html/],
    [BROWSER, /^text\/html/],
  ])('as a page only to whoever would rather have one: %s', async (accept, type) => {
    const response = await get('/errors/TOKEN_EXPIRED', accept === undefined ? {} : { accept });
    expect(response.headers.get('content-type')).toMatch(type);
  });
});
