import { freePort } from '@kontoport/embedded/port';
import { untilReady } from '@kontoport/embedded/until-ready';
import { defineService, startInProcess } from '@kontoport/service';
import { startPeers } from '@kontoport/testing/peers';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { adapters } from '../src/adapters.ts';
import { app } from '../src/app.ts';
import { config } from '../src/config.ts';
import { openDeps } from '../src/deps.ts';
import { ownEnv, startAccountInformation } from './running.ts';

describe('account-information in an environment without adapters', () => {
  it('refuses to start, and names the environment, itself and the adapter that is missing', async () => {
    const peers = await startPeers();
    const service = startServiceProcess({
      service: 'account-information',
      env: {
        ...peers.env,
        ...ownEnv({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', brokers: ['127.0.0.1:1'] }),
        ENVIRONMENT: 'production',
        OPS_PORT: String(await freePort()),
      },
    });
    await expect(service.ready()).rejects.toThrow(
      'ENVIRONMENT: account-information has no adapter "accountData" for production',
    );
    expect(await service.kill()).toEqual({ code: 1, signal: null });
    expect(service.log).toEqual([]);
    await peers.close();
  });
});

describe('what drives simulated accounts (§Sandbox)', () => {
  it('has no routes where the adapter table has no simulation, as in production', async () => {
    const running = await startAccountInformation();
    const { simulation } = adapters.production;
    const real = defineService({
      name: 'account-information',
      config,
      adapters: { ...adapters, sandbox: { ...adapters.sandbox, simulation } },
      open: openDeps,
      app,
    });
    const service = await startInProcess(real, running.env);
    try {
      await untilReady({ name: 'the service', opsPort: service.opsPort, limitMs: 10_000 });
      const { headers } = await running.addTpp();
      const ask = async (path: string, method = 'GET') => {
        const response = await fetch(service.addresses.base_url! + path, { method, headers });
        const { errorCode } = (await response.json()) as { errorCode?: string };
        return [response.status, errorCode];
      };
      expect(await ask('/accounts')).toEqual([200, undefined]);
      for (const [method, path] of [
        ['GET', '/sandbox/accounts'],
        ['GET', '/aisp-pisp/sandbox/accounts'],
        ['GET', '/sandbox/clock'],
        ['POST', '/sandbox/clock'],
        ['POST', `/sandbox/accounts/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}/postings`],
      ] as const)
        expect(await ask(path, method)).toEqual([404, 'ROUTE_UNKNOWN']);
    } finally {
      await service.close();
      await running.close();
    }
  });
});
