import { setImmediate as turn } from 'node:timers/promises';
import { startNameServer } from '@kontoport/testing/name-server';
import { createGuardedAgent } from '../src/index.ts';
import { NameResolver } from '../src/name-resolver.ts';
import { exchange } from './exchange.ts';

const FORBIDDEN = { reason: 'address' };

const LOOPBACK_V6 = Buffer.from('00000000000000000000000000000001', 'hex');
const SILENT = Array.from({ length: 200 }, (_, i) => `n${i}.tarpit.example`);

let server: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  server = await startNameServer({
    'good.example': { a: '192.0.2.7' },
    'both.example': { a: '192.0.2.8', aaaa: LOOPBACK_V6 },
    'six.example': { aaaa: LOOPBACK_V6 },
    'inside.example': { a: '127.0.0.1' },
    'private.example': { a: '10.1.2.3' },
    'circle.example': 'own alias',
    ...Object.fromEntries(SILENT.map((name) => [name, 'silent'])),
  });
});
afterAll(() => server.close());

const names = (options: { limitMs?: number; rememberMs?: number; mostFailed?: number } = {}): NameResolver =>
  new NameResolver({ nameServers: [server.address], ...options });

describe('the names of callbacks (§6)', () => {
  it('are resolved by the name servers, for IPv4 and IPv6', async () => {
    expect(await names().addresses('good.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
    expect(await names().addresses('six.example')).toEqual([{ address: '::1', family: 6 }]);
    expect(await names().addresses('Both.Example.')).toEqual([
      { address: '192.0.2.8', family: 4 },
      { address: '::1', family: 6 },
    ]);
  });

  it('do not wait for the silent server of another name', async () => {
    const looked = names();
    let failed = 0;
    const silent: Promise<unknown>[] = [];
    for (const name of SILENT) {
      silent.push(looked.addresses(name).catch(() => (failed += 1)));
      // The server runs in this process, too: it must get time to read before its socket is full.
      await turn();
    }
    expect(await looked.addresses('good.example')).toHaveLength(1);
    // One after another, all of them would take minutes.
    expect(failed).toBeLessThan(SILENT.length);
    await Promise.all(silent);
    expect(failed).toBe(SILENT.length);
  });

  it('time out with several silent servers', async () => {
    const silent = Object.fromEntries(SILENT.map((name) => [name, 'silent' as const]));
    const servers = await Promise.all([1, 2, 3, 4].map(() => startNameServer(silent)));
    const nameServers = servers.map(({ address }) => address);
    const looked = new NameResolver({ nameServers, limitMs: 300 });
    await expect(looked.addresses(SILENT[0]!)).rejects.toMatchObject({ code: 'ECANCELLED' });
    for (const { close } of servers) close();
  });

  it('share a query in flight', async () => {
    const before = server.asked('both.example');
    const looked = names();
    await Promise.all(Array.from({ length: 20 }, () => looked.addresses('both.example')));
    expect(server.asked('both.example') - before).toBe(2);
    await looked.addresses('both.example');
    expect(server.asked('both.example') - before).toBe(4);
  });

  it('cache a failure for a while', async () => {
    const looked = names({ rememberMs: 60_000 });
    const before = server.asked('nowhere.example');
    for (let i = 0; i < 3; i++)
      await expect(looked.addresses('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked('nowhere.example') - before).toBe(2);
  });

  it('are resolved again afterwards', async () => {
    const looked = names({ rememberMs: 0 });
    const before = server.asked('nowhere.example');
    for (let i = 0; i < 2; i++)
      await expect(looked.addresses('nowhere.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked('nowhere.example') - before).toBe(4);
  });

  it('cache a bounded number of failures, and evict the oldest', async () => {
    const looked = names({ rememberMs: 60_000, mostFailed: 2 });
    const before = server.asked('one.example');
    const fails = (name: string) =>
      expect(looked.addresses(name)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await fails('one.example');
    await fails('two.example');
    await fails('one.example');
    expect(server.asked('one.example') - before).toBe(2);
    await fails('three.example');
    await fails('one.example');
    expect(server.asked('one.example') - before).toBe(4);
  });

  it('cache an answer without addresses as a failure', async () => {
    const looked = names({ rememberMs: 60_000 });
    for (let i = 0; i < 2; i++)
      await expect(looked.addresses('circle.example')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it.each(['localhost', 'LOCALHOST.', 'a.localhost'])(
    'never query names of this machine: %s',
    async (name) => {
      const before = server.asked('localhost') + server.asked('a.localhost');
      expect((await names().addresses(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
      expect(server.asked('localhost') + server.asked('a.localhost')).toBe(before);
    },
  );
});

describe('the egress guard over names', () => {
  it.each(['inside.example', 'private.example', 'six.example', 'a.localhost'])(
    'opens no connection to %s',
    async (host) => {
      const agent = createGuardedAgent({ allowLoopback: false, names: { nameServers: [server.address] } });
      expect((await exchange(agent, `http://${host}:9`)).fault).toMatchObject(FORBIDDEN);
      await agent.destroy();
    },
  );

  it('fails for a name without addresses', async () => {
    const agent = createGuardedAgent({ allowLoopback: false, names: { nameServers: [server.address] } });
    expect((await exchange(agent, 'http://circle.example:9')).fault).toMatchObject({
      cause: { code: 'ENODATA' },
    });
    await agent.destroy();
  });
});
