import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describeWith } from '@kontoport/testing/describe-with';
import {
  canSeeListeners,
  listenersAmong,
  listenersOf,
  listeningIn,
  listeningSockets,
} from '@kontoport/testing/listeners';

const missing = canSeeListeners() ? undefined : 'the listeners of other processes are seen on Linux only';

describeWith('the list of listeners', { missing }, () => {
  it.each(['127.0.0.1', '::1'])('reads the address %s', async (host) => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const found = listenersOf(process.pid).find((listener) => listener.port === port);
    const all = [...listeningSockets()];
    const [wanted, others] = [true, false].map(
      (is) => new Map(all.filter(([, socket]) => (socket.port === port) === is)),
    );
    const [alone, ...none] = listenersAmong(wanted!, process.pid);
    const without = listenersAmong(others!, process.pid);
    server.close();
    expect(found).toMatchObject({ pid: process.pid, address: host });
    expect([alone, none]).toEqual([found, []]);
    expect(without.filter((listener) => listener.port === port)).toEqual([]);
  });
});

describe("the kernel's tables of sockets, on a little-endian machine", () => {
  const head =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  const line = (local: string, state = '0A'): string =>
    `   0: ${local}:1F90 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n`;

  it.each([
    ['00000000', '0.0.0.0'],
    ['0100007F', '127.0.0.1'],
    ['0200A8C0', '192.168.0.2'],
    ['00000000000000000000000000000000', '::'],
    ['00000000000000000000000001000000', '::1'],
    ['0000000000000000FFFF00000100007F', '127.0.0.1'],
    ['0000000000000000FFFF000000000000', '0.0.0.0'],
  ])('read %s as %s', (local, address) => {
    expect(listeningIn(head + line(local))).toEqual([['socket:[4711]', { address, port: 8080 }]]);
  });

  it('ignore connections', () => {
    expect(listeningIn(head + line('00000000', '01'))).toEqual([]);
  });
});
