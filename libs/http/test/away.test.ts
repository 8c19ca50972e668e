import { route, serve } from './served.ts';

const coded = (message: string, fields: object): Error => Object.assign(new Error(message), fields);

/** Errors of the drivers when the database is away, stops, or has no free connection. */
const AWAY = {
  'the system': coded('connect ECONNREFUSED 10.0.0.1:5432', { code: 'ECONNREFUSED' }),
  'the pool': new Error('timeout exceeded when trying to connect'),
  'the server, shutting down': coded('terminating connection', { code: '57P01' }),
  Prisma: coded("Can't reach database server at 10.0.0.1", {
    code: 'P1001',
    clientVersion: '7',
    name: 'PrismaClientKnownRequestError',
  }),
  "Prisma's adapter": new Error('x', { cause: { kind: 'DatabaseNotReachable', host: '10.0.0.1' } }),
  'a part of ours': new Error('page not read', { cause: coded('x', { code: 'ECONNRESET' }) }),
};

let thrown: Error;
const fail = async (): Promise<never> => {
  throw thrown;
};
const routes = [
  route({ method: 'GET', path: '/things/1', security: { kind: 'public' }, handler: fail }),
  route({ method: 'POST', path: '/token', security: { kind: 'public' }, errors: 'oauth', handler: fail }),
];
let served: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => (served = await serve({ routes })));
afterAll(() => served.close());

describe('an unreachable dependency (§7)', () => {
  it.each(Object.entries(AWAY))('is 503 with Retry-After on any route, by %s', async (_by, error) => {
    thrown = error;
    const answer = await fetch(`${served.origin}/things/1`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toEqual({
      errorCode: 'UNAVAILABLE',
      message:
        'Something that the answer depends on does not respond at the moment; repeat the request later.',
      requestId: expect.any(String) as string,
    });
  });

  it('is temporarily_unavailable in the terms of RFC 6749', async () => {
    thrown = AWAY.Prisma;
    const answer = await fetch(`${served.origin}/token`, { method: 'POST' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });

  it('differs from a wrong statement', async () => {
    thrown = coded('column "x" does not exist', { code: '42703' });
    const answer = await fetch(`${served.origin}/things/1`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([500, null]);
  });
});
