import { request } from 'node:http';
import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { activeTraceparent } from '@kontoport/runtime';
import { type RecordedSpan, recordSpans } from '@kontoport/testing/recorded-spans';
import { said } from '@kontoport/testing/said';
import { z } from 'zod';
import { route, serve } from './served.ts';

const security = { kind: 'public' } as const;
const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
let seen: string | undefined;

const routes = [
  route({
    method: 'GET',
    path: '/things/:thingId',
    security,
    params: z.object({ thingId: z.string() }),
    query: z.object({ of: z.string().optional() }),
    handler: async () => {
      seen = activeTraceparent();
      return { status: 200, json: { a: 1 } };
    },
  }),
  route({
    method: 'POST',
    path: '/things',
    security,
    handler: async () => {
      throw new ApiError('DUPLICATE_ID', said('x'));
    },
  }),
  route({
    method: 'DELETE',
    path: '/things',
    security,
    handler: async () => {
      throw new Error('hidden-5');
    },
  }),
];

let spans: ReturnType<typeof recordSpans>;
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  spans = recordSpans();
  server = await serve({ routes, prefixes: ['/v2'] });
});
afterAll(async () => {
  await server.close();
  spans.close();
});

/** Asks in a trace; resolves when the answer is there. */
function ask(method: string, path: string, traceparent?: string): Promise<void> {
  const { hostname, port } = new URL(server.origin);
  const headers = { 'user-agent': 'hidden-1', cookie: 'hidden-2', ...(traceparent && { traceparent }) };
  return new Promise((resolve, reject) => {
    request({ host: hostname, port, method, path, headers }, (response) =>
      response.resume().on('end', resolve),
    )
      .on('error', reject)
      .end();
  });
}

const sampled = `00-${TRACE}-${PARENT}-01`;

/** The one span of a request; an answer is with us a moment before its span has ended. */
async function spanOf(method: string, path: string, traceparent = sampled): Promise<RecordedSpan> {
  await ask(method, path, traceparent);
  const [span, ...more] = await until(
    () => {
      const ended = spans.take();
      return ended.length === 0 ? undefined : ended;
    },
    { what: 'the span' },
  );
  expect(more).toEqual([]);
  return span!;
}

const OK = { 'http.request.method': 'GET', 'url.scheme': 'http', 'http.response.status_code': 200 };
const at = (path: string) => ({ 'http.route': path, 'url.path': path });

describe('the span of a request', () => {
  it.each([
    ['GET', '/things/hidden-3', 'GET /things/:thingId', { ...OK, ...at('/things/:thingId') }],
    [
      'GET',
      '/v2/things/hidden-3?of=hidden-4',
      'GET /v2/things/:thingId',
      { ...OK, ...at('/v2/things/:thingId') },
    ],
    [
      'HEAD',
      '/things/hidden-3',
      'HEAD /things/:thingId',
      { ...OK, ...at('/things/:thingId'), 'http.request.method': 'HEAD' },
    ],
    [
      'OPTIONS',
      '/things/hidden-3',
      'OPTIONS /things/:thingId',
      {
        ...OK,
        ...at('/things/:thingId'),
        'http.request.method': 'OPTIONS',
        'http.response.status_code': 204,
      },
    ],
    [
      'POST',
      '/things',
      'POST /things',
      {
        ...at('/things'),
        'http.request.method': 'POST',
        'url.scheme': 'http',
        'http.response.status_code': 409,
        'error.type': 'DUPLICATE_ID',
      },
    ],
    ['GET', '/hidden-3', 'GET', { ...OK, 'http.response.status_code': 404, 'error.type': 'ROUTE_UNKNOWN' }],
    [
      'PROPFIND',
      '/hidden-3',
      'HTTP',
      {
        ...OK,
        'http.request.method': '_OTHER',
        'http.response.status_code': 404,
        'error.type': 'ROUTE_UNKNOWN',
      },
    ],
  ])('%s %s tells the route and the outcome, and nothing else that was sent', async (...given) => {
    const [method, path, name, attributes] = given;
    expect(await spanOf(method, path)).toEqual({
      name,
      kind: 'SERVER',
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: PARENT,
      attributes,
      isError: false,
      links: [],
    });
  });

  it('is in error where the service is to blame, without the words of the error', async () => {
    const span = await spanOf('DELETE', '/things');
    expect([span.isError, span.attributes['error.type']]).toEqual([true, 'INTERNAL_ERROR']);
    expect(JSON.stringify(span)).not.toContain('hidden');
  });

  it('is the parent of what the request brings about, and begins a trace where none is usable', async () => {
    const span = await spanOf('GET', '/things/1');
    expect(seen).toBe(`00-${TRACE}-${span.spanId}-01`);
    const begun = await spanOf('GET', '/things/1', 'nonsense');
    expect(begun).toMatchObject({ parentSpanId: undefined });
    expect(seen).toBe(`00-${begun.traceId}-${begun.spanId}-01`);
  });
});

describe('a request that its caller does not sample', () => {
  it('has no span, and its trace goes on', async () => {
    await ask('GET', '/things/1', `00-${TRACE}-${PARENT}-00`);
    const unsampled = seen;
    // It would have ended before this one.
    await spanOf('GET', '/things/1');
    expect(unsampled).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });
});
