import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { startOpsServer } from '@kontoport/lifecycle';
import { type Metrics, readMetrics } from '@kontoport/testing/metrics';
import { said } from '@kontoport/testing/said';
import { z } from 'zod';
import { route, serve } from './served.ts';

const security = { kind: 'public' } as const;
let hold: Promise<void> | undefined;

const routes = [
  route({
    method: 'GET',
    path: '/things/:thingId',
    security,
    params: z.object({ thingId: z.string() }),
    answers: { 200: { description: 'it' } },
    handler: async () => {
      await hold;
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
];

let server: Awaited<ReturnType<typeof serve>>;
let ops: Awaited<ReturnType<typeof startOpsServer>>;
beforeAll(async () => {
  server = await serve({ routes, prefixes: ['/before'] });
  ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
});
afterAll(async () => {
  await server.close();
  await ops.close();
});

const NAME = 'http_server_request_duration_seconds';

/** The series of the requests answered since then, with their counts. */
async function countedSince(before: Metrics): Promise<[Record<string, string>, number][]> {
  const { families } = await readMetrics(ops.port);
  return families
    .get(NAME)!
    .series.filter(({ name }) => name === `${NAME}_count`)
    .map(({ labels, value }): [Record<string, string>, number] => [
      labels,
      // Exactly these labels: a series with more of them is another one.
      value -
        (before.families
          .get(NAME)
          ?.series.find(
            (one) => one.name === `${NAME}_count` && JSON.stringify(one.labels) === JSON.stringify(labels),
          )?.value ?? 0),
    ])
    .filter(([, count]) => count > 0);
}

describe('metrics of requests', () => {
  it.each([
    ['/things/:thingId', 'GET', '200', undefined],
    ['/things/:thingId', 'GET', '500', 'INTERNAL_ERROR'],
    ['/things/:thingId', 'GET', '503', 'UNAVAILABLE'],
    ['/things', 'POST', '500', 'INTERNAL_ERROR'],
    ['/things', 'POST', '503', 'UNAVAILABLE'],
  ])(
    'begin at 0 for declared answers and failures, because a rate misses a first 1: %s %s %s',
    async (...of) => {
      const [http_route, http_request_method, http_response_status_code, error_type] = of;
      const { families } = await readMetrics(ops.port);
      const labels = {
        ...(error_type && { error_type }),
        http_request_method,
        http_response_status_code,
        http_route,
      };
      expect(families.get(NAME)!.series).toContainEqual({ name: `${NAME}_count`, labels, value: 0 });
    },
  );

  it.each([
    ['GET', '/things/secret-1', { method: 'GET', route: '/things/:thingId', status: '200' }],
    ['HEAD', '/things/secret-1', { method: 'HEAD', route: '/things/:thingId', status: '200' }],
    ['GET', '/before/things/secret-1?a=1', { method: 'GET', route: '/things/:thingId', status: '200' }],
    ['OPTIONS', '/things/secret-1', { method: 'OPTIONS', route: '/things/:thingId', status: '204' }],
    ['POST', '/things', { method: 'POST', route: '/things', status: '409', error: 'DUPLICATE_ID' }],
    ['PUT', '/things', { method: 'PUT', status: '405', error: 'METHOD_NOT_ALLOWED' }],
    ['GET', '/secret-2', { method: 'GET', status: '404', error: 'ROUTE_UNKNOWN' }],
    ['PROPFIND', '/secret-2', { method: '_OTHER', status: '404', error: 'ROUTE_UNKNOWN' }],
  ])('label %s %s with route, method, status and refusal only', async (method, path, expected) => {
    const before = await readMetrics(ops.port);
    await fetch(server.origin + path, { method });
    const { route: template, error } = expected as { route?: string; error?: string };
    // The answer arrives a moment before it is counted.
    const counted = await until(
      async () => {
        const found = await countedSince(before);
        return found.length > 0 ? found : undefined;
      },
      { what: 'the count' },
    );
    expect(counted).toEqual([
      [
        {
          http_request_method: expected.method,
          ...(template === undefined ? {} : { http_route: template }),
          http_response_status_code: expected.status,
          ...(error === undefined ? {} : { error_type: error }),
        },
        1,
      ],
    ]);
  });

  it('count requests in flight', async () => {
    let open = (): void => {};
    hold = new Promise((resolve) => (open = resolve));
    const answers = [1, 2].map((id) => fetch(`${server.origin}/things/${id}`));
    const underWay = async (): Promise<number> =>
      (await readMetrics(ops.port)).sum('http_server_active_requests');
    await until(async () => (await underWay()) === 2, { what: 'two requests under way' });
    open();
    await until(async () => (await underWay()) === 0, { what: 'none under way' });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });
});
