import { documentRoute } from '../src/document-route.ts';
import { serve } from './served.ts';

const DOCUMENT = { openapi: '3.1.1', info: { title: 'Test', version: '0.1.0' }, paths: {} };

let loads = 0;
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  const load = async (): Promise<{ default: object }> => {
    loads += 1;
    return { default: DOCUMENT };
  };
  server = await serve({ routes: [documentRoute(load)] });
});
afterAll(() => server.close());

const get = (headers: Record<string, string> = {}) => fetch(`${server.origin}/openapi.json`, { headers });

describe('GET /openapi.json: the document of an address (§9.5)', () => {
  it('answers every caller and allows caching', async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await response.json()).toEqual(DOCUMENT);
  });

  it('reads the document once', async () => {
    await Promise.all([get(), get()]);
    expect(loads).toBe(1);
  });

  it.each([
    ['the same tag', (etag: string) => etag],
    ['the same tag, weak', (etag: string) => `W/${etag}`],
    ['one of several tags', (etag: string) => `"a", ${etag}`],
    ['any tag', () => '*'],
  ])('answers 304 to a matching validator: %s', async (_what, given) => {
    const etag = (await get()).headers.get('etag')!;
    const response = await get({ 'if-none-match': given(etag) });
    expect(response.status).toBe(304);
    expect(response.headers.get('etag')).toBe(etag);
    expect(await response.text()).toBe('');
  });

  it('answers 200 to another validator', async () => {
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('reads the document again after a failure', async () => {
    let attempts = 0;
    const load = async (): Promise<{ default: object }> => {
      attempts += 1;
      if (attempts === 1) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return { default: DOCUMENT };
    };
    const failing = await serve({ routes: [documentRoute(load)] });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await fetch(`${failing.origin}/openapi.json`)).status);
    await failing.close();
    expect(statuses).toEqual([500, 200, 200]);
    expect(attempts).toBe(2);
  });
});
