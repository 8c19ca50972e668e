import { until } from '@kontoport/embedded/wait';
import { route } from '@kontoport/gate';
import { REQUEST_TRIGGERS } from '@kontoport/sandbox-triggers';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { z } from 'zod';
import { serve } from './served.ts';

const words = {
  clause: '§Sandbox',
  summary: 'A test',
  answers: { 200: { description: 'Done.', json: z.unknown(), example: {} } },
} as const;
const handler = async () => ({ status: 200, json: {} }) as const;
const routes = [
  route({ ...words, method: 'GET', path: '/public', security: { kind: 'public' }, handler }),
  route({ ...words, method: 'GET', path: '/certificate', security: { kind: 'certificate' }, handler }),
  route({ ...words, method: 'GET', path: '/token', security: { kind: 'token' }, handler }),
];

type Served = Awaited<ReturnType<typeof serve>>;

let peers: FakePeers;
let sandbox: Served;
let production: Served;
beforeAll(async () => {
  peers = await startFakePeers();
  // No window ends while the tests run.
  const env = {
    ...peers.env,
    RATE_LIMIT_CLIENT: '30',
    RATE_LIMIT_ORGANIZATION: '60',
    RATE_LIMIT_WINDOW: '1h',
  };
  const open = (more: Record<string, string>) =>
    serve({ routes, env: { ...env, ...more }, drainLimitMs: 100 });
  sandbox = await open({ ENVIRONMENT: 'sandbox' });
  production = await open({
    ENVIRONMENT: 'production',
    INTERNAL_TLS: 'off',
    REVOCATION_LOOPBACK: 'false',
  });
});
afterAll(async () => {
  await sandbox.close();
  await production.close();
  await peers.close();
});

async function newTpp(): Promise<{ tpp: TestTpp; headers: Record<string, string> }> {
  const tpp = await peers.addTpp();
  for (const { gate } of [sandbox, production])
    await until(() => gate.directory.find(tpp.clientId), { what: 'the client in the directory' });
  return { tpp, headers: await tpp.headers() };
}

/** Status, body and headers of an answer, without the parts that differ between any two answers. */
async function ask(
  path: string,
  headers: Record<string, string>,
  { fault, at = sandbox, signal }: { fault?: string; at?: Served; signal?: AbortSignal } = {},
) {
  const response = await fetch(at.origin + path, {
    headers: { ...headers, ...(fault !== undefined && { 'x-sandbox-fault': fault }) },
    ...(signal && { signal }),
  });
  const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>;
  const own = Object.fromEntries(
    [...response.headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name)),
  );
  // The seconds to the end of the window go on.
  const text = JSON.stringify({ ...own, body }).replaceAll(
    /\d+ seconds\.|t=\d+|(?<="retry-after":)"\d{2,}"/g,
    'N',
  );
  return { status: response.status, errorCode: body.errorCode, message: String(body.message), text };
}

describe('X-Sandbox-Fault in the sandbox (§Sandbox)', () => {
  it('429 gives the answer of a client beyond its rate, and 503 that of an outage', async () => {
    const { headers } = await newTpp();
    const simulated = await ask('/token', headers, { fault: '429' });
    expect(simulated).toMatchObject({ status: 429, errorCode: 'RATE_LIMITED' });
    expect(await ask('/token', headers, { fault: '503' })).toMatchObject({
      status: 503,
      errorCode: 'UNAVAILABLE',
      text: expect.stringContaining('"retry-after":"1"') as string,
    });
    expect((await ask('/token', headers)).status).toBe(200);
    let real = await ask('/token', headers);
    while (real.status !== 429) real = await ask('/token', headers);
    const withoutOrganization = (text: string) => text.replace(/"organization\\";r=\d+/, '');
    expect(withoutOrganization(simulated.text)).toBe(withoutOrganization(real.text));
  });

  it('gives a caller without token the answer of its organization', async () => {
    const { tpp } = await newTpp();
    const simulated = await ask('/certificate', tpp.certificateHeaders, { fault: '429' });
    let real = await ask('/certificate', tpp.certificateHeaders);
    while (real.status !== 429) real = await ask('/certificate', tpp.certificateHeaders);
    expect(simulated).toEqual(real);
  });

  it('every trigger of the table has its effect', async () => {
    const { headers } = await newTpp();
    for (const { values, errorCode } of REQUEST_TRIGGERS.filter((each) => each.errorCode !== undefined))
      expect(await ask('/token', headers, { fault: values['X-Sandbox-Fault'] })).toMatchObject({ errorCode });
    expect((await ask('/token', headers, { fault: 'slow=1' })).status).toBe(200);
  });

  it('slow requests of an organization are at most 16 at a time, and delay no other request', async () => {
    const { headers } = await newTpp();
    const neighbour = await newTpp();
    const gone = new AbortController();
    const waiting = Array.from({ length: 17 }, () =>
      ask('/token', headers, { fault: 'slow=10', signal: gone.signal }),
    );
    expect(await Promise.race(waiting)).toMatchObject({ status: 429, errorCode: 'RATE_LIMITED' });
    expect((await ask('/token', headers)).status).toBe(200);
    expect((await ask('/token', neighbour.headers, { fault: 'slow=1' })).status).toBe(200);
    gone.abort();
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(16);
  });

  it.each(['', 'slow=0', 'slow=11', 'slow=1.5', '500', '503, 503'])(
    '%j is 400, which names the known values',
    async (fault) => {
      const { headers } = await newTpp();
      const refused = await ask('/token', headers, { fault });
      expect(refused).toMatchObject({ status: 400, errorCode: 'FORMAT_ERROR' });
      expect(refused.message).toContain('429, 503, slow, or slow=N');
    },
  );

  it('is for authenticated callers alone', async () => {
    const { tpp } = await newTpp();
    const bad = { ...tpp.certificateHeaders, authorization: 'Bearer x' };
    expect((await ask('/token', bad, { fault: '503' })).status).toBe(401);
    expect((await ask('/certificate', {}, { fault: '503' })).status).toBe(401);
    expect((await ask('/public', {}, { fault: '503' })).status).toBe(200);
  });
});

describe('X-Sandbox-Fault in production (§Sandbox)', () => {
  it('is ignored', async () => {
    const { headers } = await newTpp();
    for (const fault of ['429', '503', 'slow=10', 'unknown'])
      expect((await ask('/token', headers, { fault, at: production })).status).toBe(200);
  });
});
