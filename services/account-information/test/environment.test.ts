import { freePort } from '@kontoport/embedded/port';
import { startPeers } from '@kontoport/testing/peers';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { ownEnv } from './running.ts';

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
