import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { until } from '@kontoport/embedded/wait';
import { watchListeners } from '@kontoport/testing/listener-watch';
import type { ListeningSockets } from '@kontoport/testing/listeners';

/** What the guard has seen, taken away so that its own check after the test finds nothing. */
function takeOpened(): string[] {
  return (Server.prototype as unknown as { kontoportOpened: string[] }).kontoportOpened.splice(0);
}

/** Addresses at which others could reach this machine. */
const open = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .filter(({ internal, scopeid }) => !internal && !scopeid)
  .map(({ address }) => address);

describe('the guard of listeners', () => {
  it.each<[string, (server: Server) => Server]>([
    ['every address', (server) => server.listen(0)],
    ['every address', (server) => server.listen({ port: 0 })],
    ['0.0.0.0', (server) => server.listen(0, '0.0.0.0')],
    ['::', (server) => server.listen({ port: 0, host: '::' })],
    ...open.map((host): [string, (server: Server) => Server] => [host, (server) => server.listen(0, host)]),
  ])('keeps a server from listening on %s, and remembers it for the test', async (host, listen) => {
    for (const server of [createServer(), createHttpServer()]) {
      const failed = once(server, 'error') as Promise<[Error]>;
      expect(listen(server).listening).toBe(false);
      expect((await failed)[0].message).toBe(`a test may not listen on ${host}`);
    }
    expect(takeOpened()).toEqual([host, host]);
  });

  it.each(['127.0.0.1', '127.0.0.9', '::1', 'localhost'])('lets %s be', async (host) => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, host);
    await once(server, 'listening');
    server.close();
    expect(takeOpened()).toEqual([]);
  });
});

describe('an address that the machine does not have', () => {
  it('is left to the system, which opens nothing there', async () => {
    const [error] = (await once(
      createServer((socket) => socket.on('error', () => {})).listen(0, '192.0.2.1'),
      'error',
    )) as [NodeJS.ErrnoException];
    expect(error.code).toBe('EADDRNOTAVAIL');
    expect(takeOpened()).toEqual([]);
  });
});

describe('the watch over the processes of a run', () => {
  const sockets = (...all: readonly (readonly [inode: number, address: string])[]): ListeningSockets =>
    new Map(all.map(([inode, address]) => [`socket:[${inode}]`, { address, port: 80 }]));
  /** Each by a process of its own. */
  const ours = (open: ListeningSockets) =>
    [...open].map(([socket, { address, port }]) => ({
      pid: Number(/\d+/.exec(socket)![0]),
      program: 'node main.ts',
      address,
      port,
    }));

  it('names each process that was open to the network at any time, once', async () => {
    const looks = [sockets([6, '127.0.0.1'], [7, '0.0.0.0']), sockets([7, '0.0.0.0']), sockets([8, '::'])];
    let at = 0;
    const watch = watchListeners({ everyMs: 1, sockets: () => looks[at++] ?? sockets(), among: ours });
    await until(() => at > looks.length, { what: 'all looks' });
    expect(watch.stop()).toEqual([
      'node main.ts (process 7) listened on 0.0.0.0, port 80: only the loopback address may be used',
      'node main.ts (process 8) listened on ::, port 80: only the loopback address may be used',
    ]);
  });

  it('looks once more at the end, and finds nothing where there is nothing', () => {
    const own = sockets([1, '127.0.0.1'], [2, '127.255.0.1'], [3, '::1']);
    expect(watchListeners({ sockets: () => own, among: ours }).stop()).toEqual([]);
    const open = sockets([1, '10.0.0.1']);
    expect(watchListeners({ sockets: () => open, among: ours }).stop()).toHaveLength(1);
    expect(watchListeners({ sockets: () => open, among: () => [] }).stop()).toEqual([]);
  });

  it('asks once whose a socket is, and again when another takes its place', async () => {
    const looks = [
      sockets([1, '0.0.0.0'], [2, '127.0.0.1']),
      sockets([1, '0.0.0.0'], [3, '127.0.0.1']),
      sockets([4, '0.0.0.0']),
      sockets([4, '0.0.0.0'], [1, '::']),
    ];
    let at = 0;
    const asked: ListeningSockets[] = [];
    const among = (open: ListeningSockets) => {
      asked.push(open);
      return [];
    };
    const watch = watchListeners({ everyMs: 1, sockets: () => looks[at++] ?? sockets(), among });
    await until(() => at > looks.length, { what: 'all looks' });
    watch.stop();
    expect(asked).toEqual([sockets([1, '0.0.0.0']), sockets([4, '0.0.0.0']), sockets([1, '::'])]);
  });
});
