import { freePort } from '@kontoport/embedded/port';
import { startServiceProcess } from '@kontoport/testing/service-process';

describe('a service process that does not get ready', () => {
  it('is reported with its last words and its exit code', async () => {
    const service = startServiceProcess({
      service: 'registration',
      env: { OPS_PORT: String(await freePort()) },
    });
    await expect(service.ready()).rejects.toThrow(
      /registration ended with 1\n(.*\n)*.*DATABASE_URL: missing/,
    );
    expect(await service.kill()).toEqual({ code: 1, signal: null });
  });
});
