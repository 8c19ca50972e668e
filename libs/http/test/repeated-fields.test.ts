import { z } from 'zod';
import { route, serve } from './served.ts';

const routes = [
  route({
    method: 'POST',
    path: '/things',
    security: { kind: 'public' },
    body: { json: z.json() },
    handler: async ({ body }) => ({ status: 201, json: body }),
  }),
];

let served: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  served = await serve({ routes });
});
afterAll(async () => {
  await served.close();
});

const post = async (body: string): Promise<{ status: number; json: unknown }> => {
  const response = await fetch(`${served.origin}/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, json: await response.json() };
};

describe('a duplicate field in JSON is rejected by its path (§4)', () => {
  it.each([
    ['with two values', '{"amount":1,"amount":2}', ['amount']],
    ['with one value', '{"a":1, "a" : 1}', ['a']],
    ['three times, once told', '{"a":1,"a":1,"a":1}', ['a']],
    ['deeper', '{"a":{"b":{"c":1,"c":null}}}', ['a.b.c']],
    ['in a list', '[1,"x,y",{"a":[],"b":{},"a":[2]}]', ['2.a']],
    ['two of them', '{"a":1,"b":[{"c":0,"c":0}],"a":1}', ['b.0.c', 'a']],
    ['spelt otherwise', String.raw`{"a\"\u0062":1,"\u0061\"b":2}`, ['a"b']],
    ['of a name that objects have', '{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['around and within values that are thrown away', '{"a":{"b":1,"b":2},"a":{}}', ['a.b', 'a']],
    ['without a name', '{"":1,"":2}', ['']],
  ])('%s', async (_what, body, paths) => {
    const { status, json } = await post(body);
    expect({ status, json }).toMatchObject({
      status: 400,
      json: {
        errorCode: 'FORMAT_ERROR',
        details: paths.map((path) => ({ path, message: 'must stand once' })),
      },
    });
    expect((json as { details: unknown[] }).details).toHaveLength(paths.length);
  });

  it('reports fifty details of a body of 64 KB', async () => {
    const members = Array.from({ length: 3_000 }, (_, i) => `"${i}":0,"${i}":0`);
    const { status, json } = await post(`{${members.join(',')}}`);
    expect(status).toBe(400);
    expect((json as { details: unknown[] }).details).toHaveLength(50);
  });

  it.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":1}],"c":"a"}',
    '{"a":"{\\"b\\":1,\\"b\\":2}","b":":::\\\\"}',
    '["a:b","a:b",{},[],null,true,1.5e3]',
    '{"a":1,"A":2,"a ":3}',
    '"a:b"',
  ])('accepts %s', async (body) => {
    expect(await post(body)).toEqual({ status: 201, json: JSON.parse(body) });
  });
});
