import { freePort } from '@kontoport/embedded/port';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { basic, requestToken, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

let around: Surroundings;
const running: ServiceProcess[] = [];

beforeAll(async () => {
  around = await surroundAuth();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill('SIGKILL');
});
afterAll(() => around.close());

async function startProcess(changed: Record<string, string> = {}) {
  const [http, ops] = [await freePort(), await freePort()];
  const service = startServiceProcess({
    service: 'auth',
    env: { ...around.env, HTTP_PORT: String(http), OPS_PORT: String(ops), LOG_LEVEL: 'trace', ...changed },
  });
  running.push(service);
  return { service, origin: `http://127.0.0.1:${http}` };
}

describe('the process of auth', () => {
  it('issues tokens, logs no secret and no token, and ends on SIGTERM with 0', async () => {
    const { service, origin } = await startProcess();
    await service.ready();
    const tpp = await around.peers.addTpp();
    const issued = await requestToken(origin, tokenHeaders(tpp));
    expect(issued.status).toBe(200);
    const wrong = { ...tpp.certificateHeaders, authorization: basic(tpp.clientId, 'wrong-secret') };
    expect((await requestToken(origin, wrong)).status).toBe(401);
    const swapped = { ...tpp.certificateHeaders, authorization: basic(tpp.clientSecret, tpp.clientId) };
    expect((await requestToken(origin, swapped)).status).toBe(401);
    expect((await fetch(`${origin}/accounts/account-of-somebody`)).status).toBe(404);
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });

    const log = JSON.stringify(service.log);
    expect(service.log.filter(({ msg }) => msg === 'token issued')).toEqual([
      expect.objectContaining({ clientId: tpp.clientId, scope: 'PSP_AI PSP_PI', expiresIn: 3_600 }),
    ]);
    expect(service.log.filter(({ errorCode }) => errorCode === 'ROUTE_UNKNOWN')).toEqual([
      expect.objectContaining({ msg: 'request', method: 'GET', status: 404 }),
    ]);
    const tokenParts = String(issued.body.access_token).split('.').slice(1);
    const secrets = [
      ...tokenParts,
      tpp.clientSecret,
      basic(tpp.clientId, tpp.clientSecret).slice(6),
      'wrong-secret',
      'account-of-somebody',
      around.env.SECRETS_KEY!,
      around.env.EDGE_SECRET!,
      tpp.certificateHeaders['client-cert']!.slice(1, 80),
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
  });
});
