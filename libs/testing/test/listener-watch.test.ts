import { until } from '@kontoport/embedded/wait';
import { watchListeners } from '@kontoport/testing/listener-watch';
import type { ListeningSockets } from '@kontoport/testing/listeners';

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

  it('names each process that ever listened on the network, once', async () => {
    const looks = [sockets([6, '127.0.0.1'], [7, '0.0.0.0']), sockets([7, '0.0.0.0']), sockets([8, '::'])];
    let at = 0;
    const watch = watchListeners({ everyMs: 1, sockets: () => looks[at++] ?? sockets(), among: ours });
    await until(() => at > looks.length, { what: 'all looks' });
    expect(watch.stop()).toEqual([
      'node main.ts (process 7) listened on 0.0.0.0, port 80: only the loopback address may be used',
      'node main.ts (process 8) listened on ::, port 80: only the loopback address may be used',
    ]);
  });

  it('checks once more at the end, and finds nothing without listeners', () => {
    const own = sockets([1, '127.0.0.1'], [2, '127.255.0.1'], [3, '::1']);
    expect(watchListeners({ sockets: () => own, among: ours }).stop()).toEqual([]);
    const open = sockets([1, '10.0.0.1']);
    expect(watchListeners({ sockets: () => open, among: ours }).stop()).toHaveLength(1);
    expect(watchListeners({ sockets: () => open, among: () => [] }).stop()).toEqual([]);
  });

  it('looks up the owner of a socket once, and again for a new socket', async () => {
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
