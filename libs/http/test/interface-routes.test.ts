import { interfaceRoutes } from '@kontoport/http';
import { serve } from './served.ts';

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  const load = async () => ({ default: { openapi: '3.1.1', info: { title: 'x', version: '1' }, paths: {} } });
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
      links: { openapi: '/openapi.json', errors: '/errors' },
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
    for (const part of ['<html lang="sv">', 'Detta är base_url i miljön sandbox.', 'href="/openapi.json"'])
      expect(page).toContain(part);
  });

  it('ignores what browsers add', async () => {
    expect((await get('/?utm_source=x')).status).toBe(200);
  });
});
