import { interfaceRoutes } from '@kontoport/http';
import { serve } from './served.ts';

const DOCUMENT = {
  openapi: '3.1.1',
  info: { title: 'Bank & more', version: '1', description: 'What it is.\n\nWho may call `it`.' },
  tags: [{ name: 'Payments', description: 'Of money.' }, { name: 'Webhooks' }],
  paths: {
    '/payments/{id}': {
      post: {
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
      links: { documentation: '/documentation', openapi: '/openapi.json', errors: '/errors' },
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
      'href="/openapi.json"',
    ])
      expect(page).toContain(part);
  });

  it('ignores what browsers add', async () => {
    expect((await get('/?utm_source=x')).status).toBe(200);
  });
});

describe('GET /documentation: the interface for reading (§9.5)', () => {
  it.each(['/documentation', '/aisp-pisp/documentation'])('is a page at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-language')).toBe('en');
  });

  it('says what the document says: subjects, operations, answers and webhooks, with examples of what goes well', async () => {
    const page = await (await get('/documentation')).text();
    const body = page.slice(page.indexOf('<h1>'), page.indexOf('</main>')).replaceAll(/\s*\n\s*/g, '').replaceAll('> <', '><');
    expect(body).toBe(
      [
        '<h1>Bank &amp; more</h1><p>What it is.</p><p>Who may call <code>it</code>.</p>',
        '<h2>Payments</h2><p>Of money.</p>',
        '<h3><code>POST /payments/{id}</code></h3><p><strong>Pay &lt;now&gt;</strong></p><p>Once.</p>',
        '<pre tabindex="0"><code>{&quot;amount&quot;: &quot;1.00&quot;}</code></pre>',
        '<dl><dt>201</dt><dd><p>Paid.</p><pre tabindex="0"><code>{&quot;status&quot;: &quot;PENDING&quot;}</code></pre></dd>',
        '<dt>409</dt><dd><p>Conflict.</p><ul><li><code>TAKEN</code>: It is taken.</li><li><code>GONE</code>: It is gone.</li></ul></dd></dl>',
        '<h2>Webhooks</h2>',
        '<h3><code>Payment.PaidV1</code></h3><p><strong>It is paid</strong></p><dl></dl>',
      ].join(''),
    );
  });
});
