import { type ClientDirectory, openClientDirectory } from '@kontoport/client-directory';
import { until } from '@kontoport/embedded/wait';
import { createLogger, startOpsServer } from '@kontoport/lifecycle';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { readMetrics } from '@kontoport/testing/metrics';

const logger = createLogger({ service: 'test', level: 'silent' });
let peers: FakePeers;
let directory: ClientDirectory;

beforeEach(async () => {
  peers = await startFakePeers();
  directory = openClientDirectory({ address: peers.env.REGISTRATION_GRPC!, service: 'test', logger });
});

afterEach(async () => {
  await directory.close();
  await peers.close();
});

const ready = (): Promise<unknown> =>
  until(() => directory.readiness() === undefined, { what: 'the directory is ready' });

describe('every service knows every client (§4.2)', () => {
  it('decides nothing before the first snapshot', () => {
    expect(() => directory.find('anybody')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    expect(directory.readiness()).toBeDefined();
  });

  it('has the clients of the snapshot and later ones', async () => {
    const early = await peers.addTpp();
    await ready();
    const late = await peers.addTpp({ roles: ['PSP_AI'] });
    await until(() => directory.find(late.clientId) !== undefined, { what: 'the change has arrived' });
    expect(directory.find(early.clientId)?.deleted).toBe(false);
    expect(directory.find(late.clientId)?.roles).toEqual(['PSP_AI']);
    expect(directory.find('00000000-0000-4000-8000-000000000000')).toBeUndefined();
  });

  it('reports deletions to listeners, earlier ones included', async () => {
    const one = await peers.addTpp();
    const other = await peers.addTpp();
    peers.deleteTpp(one);
    await ready();
    const gone: string[] = [];
    directory.onDeleted((clientId) => gone.push(clientId));
    peers.deleteTpp(other);
    await until(() => gone.length === 2, { what: 'both deletions are known' });
    expect(gone).toEqual([one.clientId, other.clientId]);
    expect(directory.find(other.clientId)?.deleted).toBe(true);
  });

  it('decides nothing after the lease of a silent directory', async () => {
    const tpp = await peers.addTpp();
    await ready();
    peers.silence();
    await until(() => directory.readiness() !== undefined, {
      what: 'the lease has run out',
    });
    expect(() => directory.find(tpp.clientId)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  });

  it('reports the age of its copy until it is closed', async () => {
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    const told = async (): Promise<number | undefined> =>
      (await readMetrics(ops.port)).families.get('kontoport_client_directory_age_seconds')?.series[0]?.value;
    try {
      await ready();
      peers.silence();
      await until(async () => (await told())! > 5, { what: 'an age beyond a lease' });
      expect(directory.readiness()).toBeDefined();
      peers.speak();
      await until(async () => (await told())! < 5, { what: 'news' });
      await directory.close();
      expect(await told()).toBeUndefined();
    } finally {
      await ops.close();
    }
  });
});
