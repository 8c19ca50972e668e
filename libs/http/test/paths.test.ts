import { exchange, rawGet, readRaw } from '@kontoport/testing/raw-http';
import { z } from 'zod';
import { route, serve } from './served.ts';

const security = { kind: 'public' } as const;
const thing = { security, params: z.object({ thingId: z.string() }) };
const answer = (name: string) => async (request: { params: object }) =>
  ({ status: 200, json: { name, ...request.params } }) as const;

const routes = [
  route({ method: 'GET', path: '/', security, handler: answer('root') }),
  route({ method: 'GET', path: '/things/:thingId', ...thing, handler: answer('thing') }),
  route({ method: 'DELETE', path: '/things/:thingId', ...thing, handler: answer('gone') }),
  route({ method: 'GET', path: '/things', security, handler: answer('things') }),
  route({
    method: 'GET',
    path: '/things/:id/parts/:part',
    security,
    params: z.object({ id: z.string(), part: z.string() }),
    handler: answer('part'),
  }),
  route({ method: 'GET', path: '/things/new', security, handler: answer('new') }),
  route({ method: 'GET', path: '/things/:thingId', ...thing, handler: answer('second') }),
];

let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  served = await serve({ routes, prefixes: ['/before'] });
});
afterAll(() => served.close());

const ask = async (target: string) => readRaw(await exchange(served.port, rawGet(target, [])));

describe('a path leads to its route (§4)', () => {
  it.each([
    ['/', { name: 'root' }],
    ['/?a=1', { name: 'root' }],
    ['/before', { name: 'root' }],
    ['http://bank.test', { name: 'root' }],
    ['/things', { name: 'things' }],
    ['/things/', { name: 'things' }],
    ['/things/new', { name: 'new' }],
    ['/before/things/new/', { name: 'new' }],
    ['/things/1', { name: 'thing', thingId: '1' }],
    ['/things/1/', { name: 'thing', thingId: '1' }],
    ['/things/New', { name: 'thing', thingId: 'New' }],
    ['/things/a%2Fb', { name: 'thing', thingId: 'a/b' }],
    ['/things/%C3%A6', { name: 'thing', thingId: 'æ' }],
    ['/things/1/parts/2', { name: 'part', id: '1', part: '2' }],
    ['http://bank.test/things/1?a=1', { name: 'thing', thingId: '1' }],
  ])('%s', async (target, json) => {
    expect(await ask(target)).toMatchObject({ status: 200, json });
  });

  it.each([
    '/Things',
    '/things//',
    '//things',
    '/thing',
    '/things/1/parts',
    '/things//parts/2',
    '/things/1/Parts/2',
    '/things/1/parts/2/3',
    '/%74hings',
    '/Before/things',
    '/nothing/%E0%A4',
    'http://[/things',
    '*',
  ])('%s has no route', async (target) => {
    expect(await ask(target)).toMatchObject({ status: 404, json: { errorCode: 'ROUTE_UNKNOWN' } });
  });

  it('prefers a path without names, with its methods', async () => {
    const response = await fetch(`${served.origin}/things/new`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
