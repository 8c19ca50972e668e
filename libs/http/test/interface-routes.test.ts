import { interfaceRoutes } from '@kontoport/http';
import { serve } from './served.ts';

const DOCUMENT = {
  openapi: '3.1.1',
  servers: [{ url: 'https://bank.test' }],
  info: { title: 'Bank & more', version: '1', description: 'What it is.\n\nWho may call `it`.' },
  tags: [{ name: 'Payments', description: 'Of money.' }, { name: 'Webhooks' }],
  paths: {
    '/payments/{id}': {
      post: {
        operationId: 'pay',
        tags: ['Payments'],
        summary: 'Pay <now>',
        description: 'Once.',
        requestBody: { content: { 'application/json': { example: { amount: '1.00' } } } },
        responses: {
          201: { description: 'Paid.', content: { 'application/json': { example: { status: 'PENDING' } } } },
          409: { $ref: '#/components/responses/409-Taken' },
        },
      },
    },
  },
  webhooks: { 'Payment.PaidV1': { post: { tags: ['Webhooks'], summary: 'It is paid', responses: {} } } },
  components: {
    responses: {
      '409-Taken': {
        description: 'Conflict.\n\n- `TAKEN`: It is taken.\n- `GONE`: It is gone.',
        content: { 'application/json': { example: { errorCode: 'TAKEN' } } },
      },
    },
  },
};

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  const load = async () => ({ default: DOCUMENT });
  server = await serve({
    routes: interfaceRoutes({ address: 'base_url', environment: 'sandbox', load }),
    prefixes: ['/aisp-pisp'],
  });
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.origin + path, { headers });

describe('GET /: who answers at an address (§9.5)', () => {
  it.each(['/', '/aisp-pisp', '/aisp-pisp/'])('tells name, environment and address at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      name: 'Kontoport',
      environment: 'sandbox',
      address: 'base_url',
      links: {
        documentation: '/documentation',
        guides: '/guides',
        openapi: '/openapi.json',
        errors: '/errors',
      },
    });
  });

  it('has links that lead somewhere', async () => {
    const { links } = (await (await get('/')).json()) as { links: Record<string, string> };
    for (const path of Object.values(links)) expect((await get(path)).status).toBe(200);
  });

  it('is a page in the language of whoever opens it in a browser', async () => {
    const response = await get('/', { accept: 'text/html,*/*;q=0.8', 'x-language': 'sv' });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-language')).toBe('sv');
    const page = await response.text();
    for (const part of [
      '<html lang="sv">',
      'Detta är base_url i miljön sandbox.',
      'href="/documentation"',
      'href="/guides"',
      'href="/openapi.json"',
    ])
      expect(page).toContain(part);
  });

  it('ignores what browsers add', async () => {
    expect((await get('/?utm_source=x')).status).toBe(200);
  });
});

describe('the reference and the guides of an address (§9.5)', () => {
  it.each([
    ['/guides', 'text/html; charset=utf-8', 'href="/guides/first-call"'],
    ['/aisp-pisp/guides', 'text/html; charset=utf-8', 'href="/guides/first-call"'],
    ['/guides/first-call', 'text/html; charset=utf-8', '<h1>First call</h1>'],
    ['/guides/first-call.md', 'text/markdown; charset=utf-8', '# First call'],
    ['/guides/index.md', 'text/markdown; charset=utf-8', '[First call](/guides/first-call.md)'],
    ['/documentation?q=nextCursor+overlap', 'text/html; charset=utf-8', 'href="/guides/paging"'],
    ['/documentation', 'text/html; charset=utf-8', 'href="/documentation/pay"'],
    ['/aisp-pisp/documentation', 'text/html; charset=utf-8', 'href="/documentation/pay"'],
    ['/documentation?q=once+paid', 'text/html; charset=utf-8', '1 result for “once paid”'],
    ['/documentation?q=%3Cb%3E', 'text/html; charset=utf-8', '0 results for “&lt;b&gt;”'],
    ['/documentation/pay', 'text/html; charset=utf-8', '<h1>Pay &lt;now&gt;</h1>'],
    ['/documentation/pay.md', 'text/markdown; charset=utf-8', '# Pay <now>'],
    ['/documentation/index.md', 'text/markdown; charset=utf-8', '[Pay <now>](/documentation/pay.md)'],
    ['/documentation/reference.js', 'text/javascript; charset=utf-8', 'use strict'],
    ['/llms.txt', 'text/markdown; charset=utf-8', '/documentation/pay.md)'],
    ['/llms.txt', 'text/markdown; charset=utf-8', '/guides/first-call.md)'],
  ])('%s is %s', async (path, type, part) => {
    const response = await get(path, { accept: 'text/html' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await response.text()).toContain(part);
  });

  it.each([
    '/documentation/none',
    '/documentation/none.md',
    '/documentation/__proto__',
    '/guides/none',
    '/guides/none.md',
    '/guides/__proto__',
  ])('has nothing at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errorCode: 'RESOURCE_UNKNOWN' });
  });

  it('runs scripts of its own address alone, on its own pages alone', async () => {
    const policyOf = async (path: string): Promise<string> =>
      (await get(path, { accept: 'text/html' })).headers.get('content-security-policy')!;
    for (const path of ['/documentation/pay', '/guides/first-call'])
      expect(await policyOf(path)).toContain("; script-src 'self';");
    for (const path of ['/', '/errors', '/errors/TOKEN_EXPIRED', '/none'])
      expect(await policyOf(path)).not.toContain('script-src');
  });
});
