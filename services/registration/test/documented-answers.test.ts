import { type Answers, declareRoute, startHttpServer } from '@kontoport/http';
import { createLogger } from '@kontoport/lifecycle';
import { z } from 'zod';

const PATH = '/tpp/:clientId';
const CLIENT = {
  name: 'Fjord Budget',
  clientId: '5b3f1c9e-8f0d-4c4e-9a0b-2f6d6f5c7a11',
  roles: ['PSP_AI'],
  redirectUris: ['https://tpp.test/callback'],
  certificateChains: [],
};

/** Makes a server answer one GET of a client. */
async function answer(json: unknown, { path = PATH, status = 200 } = {}): Promise<void> {
  const handler = async () => ({ status, json });
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes: [
      declareRoute({
        method: 'GET',
        path,
        clause: '§4.2',
        summary: 'A client',
        security: { kind: 'public' },
        answers: {} as Answers,
        params: z.object({ clientId: z.string() }),
        handler,
      }),
    ],
    gate: {
      authenticate: async (_security, { headers }) => {
        Object.assign(headers, { 'ratelimit-policy': '"client";q=1;w=1', ratelimit: '"client";r=0;t=1' });
        return { principal: {} };
      },
    },
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  await fetch(`http://127.0.0.1:${server.port}${path.replace(':clientId', CLIENT.clientId)}`);
  await server.close();
}

/** Removes and returns the recorded faults, so that the hook does not fail this test. */
function found(): string[] {
  return (globalThis as unknown as { kontoportAnswerFaults: string[] }).kontoportAnswerFaults.splice(0);
}

describe('an answer in a test of a service (§9.5)', () => {
  it('passes when it is as documented', async () => {
    await answer(CLIENT);
    expect(found()).toEqual([]);
  });

  it.each([
    ['a member of another type', { ...CLIENT, name: 1 }, {}, '200 name: must be string'],
    ['a missing member', { ...CLIENT, roles: undefined }, {}, "200 must have required property 'roles'"],
    ['an undocumented member', { ...CLIENT, a: 1 }, {}, '200 must NOT have additional properties (a)'],
    ['an undocumented value', { ...CLIENT, roles: ['PSP_XX'] }, {}, '200 roles.0: must be equal to one of'],
    ['an undocumented status', CLIENT, { status: 202 }, '202 is no status that the document has'],
  ])('fails the test with %s, by operation, status and place', async (_what, json, given, fault) => {
    await answer(json, given);
    expect(found()).toEqual([expect.stringContaining(`GET /tpp/{clientId} ${fault}`)]);
  });

  it('fails the test when its route is in no document', async () => {
    await answer(CLIENT, { path: '/clients/:clientId' });
    expect(found()).toEqual(['GET /clients/{clientId} 200 is in no document']);
  });
});
