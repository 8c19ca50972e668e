import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ApiError } from '@kontoport/errors';
import { said } from '@kontoport/testing/said';
import { z } from 'zod';
import { route, serve } from './served.ts';

const security = { kind: 'public' } as const;
const params = z.object({ thingId: z.string() });

const routes = [
  route({
    method: 'GET',
    path: '/things/:thingId',
    security,
    params,
    handler: async () => ({ status: 200, json: { a: 1 } }),
  }),
  route({
    method: 'DELETE',
    path: '/things/:thingId',
    security,
    params,
    handler: async () => ({ status: 204 }),
  }),
  route({
    method: 'POST',
    path: '/things',
    security,
    handler: async () => {
      throw new ApiError('DUPLICATE_ID', said('x'));
    },
  }),
];

const seen: unknown[] = [];
const listen = (answer: unknown): number => seen.push(answer);
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve({ routes, prefixes: ['/before'] });
});
beforeEach(() => {
  seen.length = 0;
  subscribe('kontoport.http.answer', listen);
});
afterEach(() => void unsubscribe('kontoport.http.answer', listen));
afterAll(() => server.close());

describe('the channel of answers', () => {
  it.each([
    ['GET', '/things/1', { path: '/things/:thingId', status: 200, body: '{"a":1}' }],
    ['GET', '/before/things/1', { path: '/things/:thingId', status: 200, body: '{"a":1}' }],
    ['DELETE', '/things/1', { path: '/things/:thingId', status: 204, body: undefined }],
    ['POST', '/things', { path: '/things', status: 409, body: expect.stringContaining('DUPLICATE_ID') }],
    ['PUT', '/things', { path: undefined, status: 405, body: expect.stringContaining('METHOD_NOT_ALLOWED') }],
    ['GET', '/other', { path: undefined, status: 404, body: expect.stringContaining('ROUTE_UNKNOWN') }],
  ])('publishes the answer to %s %s', async (method, path, expected) => {
    await fetch(server.origin + path, { method });
    const headers = expect.objectContaining({ 'x-request-id': expect.any(String) });
    expect(seen).toEqual([{ method, headers, ...expected }]);
  });

  it('publishes nothing without a subscriber', async () => {
    unsubscribe('kontoport.http.answer', listen);
    await fetch(`${server.origin}/things/1`);
    expect(seen).toEqual([]);
  });
});
