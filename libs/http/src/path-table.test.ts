import { PathTable } from './path-table.ts';

const table = new PathTable<string>();
for (const pattern of [
  '/',
  '/things/:thingId',
  '/things',
  '/things/:thingId/parts/:part',
  '/things/new',
  '/things/:other',
  '/things',
  '/deep/',
])
  table.set(pattern, pattern);

const found = (path: string) => table.find(path);

describe('a path leads to what was set for it', () => {
  it.each([
    ['/', '/'],
    ['/things', '/things'],
    ['/things/', '/things'],
    ['/things/new', '/things/new'],
    ['/deep', '/deep/'],
    ['/deep/', '/deep/'],
  ])('%s without names', (path, value) => {
    expect(found(path)).toEqual({ value, params: {} });
  });

  it.each([
    ['/things/1', '/things/:thingId', { thingId: '1' }],
    ['/things/1/', '/things/:thingId', { thingId: '1' }],
    ['/things/New', '/things/:thingId', { thingId: 'New' }],
    ['/things/a%2Fb', '/things/:thingId', { thingId: 'a/b' }],
    ['/things/%C3%A6', '/things/:thingId', { thingId: 'æ' }],
    ['/things/1/parts/2', '/things/:thingId/parts/:part', { thingId: '1', part: '2' }],
  ])('%s with its names', (path, value, params) => {
    expect(found(path)).toEqual({ value, params });
  });

  it.each([
    '',
    '/Things',
    '/things//',
    '/thing',
    '/things/1/parts',
    '/things/1/parts/',
    '/things//parts/2',
    '/things/1/Parts/2',
    '/things/1/parts/2/3',
    '/%74hings',
    '*',
    'things',
  ])('and %p to nothing', (path) => {
    expect(found(path)).toBeUndefined();
  });

  it('nor what is no percent-encoding: it is told apart', () => {
    expect(() => found('/things/%E0%A4')).toThrow(URIError);
    expect(found('/nothing/%E0%A4')).toBeUndefined();
  });
});
