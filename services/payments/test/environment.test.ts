import { freePort } from '@kontoport/embedded/port';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { startServiceProcess } from '@kontoport/testing/service-process';

describe('payments in production (§Sandbox)', () => {
  it('refuses to start without a database and without a bank, and names what is missing', async () => {
    const peers = await startFakePeers();
    const service = startServiceProcess({
      service: 'payments',
      env: {
        ...peers.env,
        ENVIRONMENT: 'production',
        OPS_PORT: String(await freePort()),
        GRPC_PORT: '0',
        ACCOUNTS_GRPC: 'localhost:1',
        USER_URL: 'https://user.bank.test',
      },
    });
    const refusal: unknown = await service.ready().catch((error: unknown) => error);
    for (const fault of ['BANK_GRPC: missing', 'DATABASE_URL: missing'])
      expect(String(refusal)).toContain(fault);
    expect(await service.kill()).toEqual({ code: 1, signal: null });
    expect(service.log).toEqual([]);
    await peers.close();
  });
});
