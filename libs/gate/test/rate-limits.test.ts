import { until } from '@kontoport/embedded/wait';
import { route } from '@kontoport/gate';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { z } from 'zod';
import { serve } from './served.ts';

const words = {
  clause: '§8',
  summary: 'A test',
  answers: { 200: { description: 'Let in.', json: z.unknown(), example: {} } },
} as const;
const handler = async () => ({ status: 200, json: {} }) as const;
const params = z.object({ id: z.uuid() });
const routes = [
  route({ ...words, method: 'GET', path: '/public', security: { kind: 'public' }, handler }),
  route({ ...words, method: 'GET', path: '/certificate', security: { kind: 'certificate' }, handler }),
  route({
    ...words,
    method: 'GET',
    path: '/accounts',
    security: { kind: 'token', scope: 'PSP_AI', tokenRefusal: 403 },
    handler,
  }),
  route({ ...words, method: 'GET', path: '/things/:id', params, security: { kind: 'token' }, handler }),
];

let peers: FakePeers;
let served: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  peers = await startFakePeers();
  // No window ends while the tests run, except those chosen for it.
  const env = { ...peers.env, RATE_LIMIT_CLIENT: '3', RATE_LIMIT_ORGANIZATION: '5', RATE_LIMIT_WINDOW: '1h' };
  served = await serve({ routes, env });
  await until(() => served.gate.directory.readiness() === undefined, { what: 'the client directory' });
});
afterAll(async () => {
  await served.close();
  await peers.close();
});

async function ask(path: string, headers: Record<string, string>) {
  const response = await fetch(served.origin + path, { headers });
  const body = (await response.json()) as { errorCode?: string; message?: string };
  const reported = response.headers.get('ratelimit') ?? '';
  return {
    status: response.status,
    errorCode: body.errorCode,
    message: body.message,
    policy: response.headers.get('ratelimit-policy'),
    left: Object.fromEntries(
      [...reported.matchAll(/"(\w+)";r=(\d+)/g)].map(([, kind, r]) => [kind, Number(r)]),
    ),
    seconds: Math.min(...[...reported.matchAll(/;t=(\d+)/g)].map(([, seconds]) => Number(seconds))),
    retryAfter: response.headers.get('retry-after'),
  };
}

interface Caller {
  tpp: TestTpp;
  headers: Record<string, string>;
}

async function known(options: Parameters<FakePeers['addTpp']>[0] = {}): Promise<Caller> {
  const tpp = await peers.addTpp(options);
  await until(() => served.gate.directory.find(tpp.clientId), { what: 'the client in the directory' });
  return { tpp, headers: await tpp.headers() };
}

/** A client whose windows are far from their end; it has sent one request. */
async function calling(options: Parameters<FakePeers['addTpp']>[0] = {}): Promise<Caller> {
  for (;;) {
    const caller = await known(options);
    if ((await ask('/accounts', caller.headers)).seconds > 600) return caller;
  }
}

describe('rates are limited per client and organization (§8)', () => {
  it('every answer reports the remaining requests, and 429 has Retry-After', async () => {
    const { headers } = await calling();
    const second = await ask('/accounts', headers);
    expect(second).toMatchObject({
      status: 200,
      policy: '"client";q=3;w=3600, "organization";q=5;w=3600',
      left: { client: 1, organization: 3 },
      retryAfter: null,
    });
    const unknown = await ask('/things/x', headers);
    expect(unknown).toMatchObject({ status: 404, left: { client: 0, organization: 2 } });
    const refused = await ask('/accounts', headers);
    expect(refused).toMatchObject({
      status: 429,
      errorCode: 'RATE_LIMITED',
      policy: '"client";q=3;w=3600, "organization";q=5;w=3600',
      left: { client: 0, organization: 2 },
    });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(refused.message).toContain(`${refused.retryAfter} seconds`);
  });

  it('does not affect other organizations, and limits clients of one by its limit', async () => {
    const { tpp, headers } = await calling();
    for (let asked = 0; asked < 20; asked++) await ask('/accounts', headers);
    const neighbour = await known();
    expect(await ask('/accounts', neighbour.headers)).toMatchObject({
      status: 200,
      left: { client: 2, organization: 4 },
    });
    const { organization } = await ask('/certificate', tpp.certificateHeaders).then(({ left }) => left);
    expect(organization).toBe(1);
    expect((await ask('/certificate', tpp.certificateHeaders)).left).toEqual({ organization: 0 });
    const refused = await ask('/certificate', tpp.certificateHeaders);
    expect(refused).toMatchObject({
      status: 429,
      errorCode: 'RATE_LIMITED',
      policy: '"organization";q=5;w=3600',
      left: { organization: 0 },
    });
  });

  it('counts clients of one organization together', async () => {
    const { tpp, headers } = await calling();
    const { organizationIdentifier } = served.gate.directory.find(tpp.clientId)!;
    const sibling = await known({ organizationIdentifier });
    const left: unknown[] = [];
    for (const caller of [sibling.headers, headers, headers, sibling.headers])
      left.push((await ask('/accounts', caller)).left.organization);
    expect(left).toEqual([3, 2, 1, 0]);
    expect(await ask('/accounts', sibling.headers)).toMatchObject({
      status: 429,
      policy: '"organization";q=5;w=3600',
      left: { organization: 0 },
    });
  });

  it('follows authentication and precedes the rest: 401 and 403 of a bad token, then 429, then 404 and 403', async () => {
    const { tpp, headers } = await calling();
    for (let asked = 0; asked < 2; asked++) await ask('/accounts', headers);
    const bad = { ...tpp.certificateHeaders, authorization: 'Bearer x' };
    expect(await ask('/things/x', bad)).toMatchObject({ status: 401, left: { organization: 1 } });
    expect(await ask('/accounts', bad)).toMatchObject({ status: 403, left: { organization: 0 } });
    expect(await ask('/accounts', bad)).toMatchObject({ status: 429 });
    expect(await ask('/things/x', headers)).toMatchObject({ status: 429 });
    const payer = await calling({ roles: ['PSP_PI'] });
    for (const status of [403, 403, 429])
      expect(await ask('/accounts', payer.headers)).toMatchObject({ status });
  });

  it('does not apply to public routes', async () => {
    for (let asked = 0; asked < 10; asked++)
      expect(await ask('/public', {})).toMatchObject({ status: 200, policy: null, left: {} });
  });
});
