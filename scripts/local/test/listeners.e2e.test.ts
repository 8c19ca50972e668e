import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describeWith } from '@kontoport/testing/describe-with';
import { canSeeListeners, listenersOf } from '@kontoport/testing/listeners';
import { LIMIT_MS, useStack } from './started-stack.ts';

const { start } = useStack();
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/;

const missing = canSeeListeners() ? undefined : 'the listeners of other processes are seen on Linux only';

describeWith('what npm start opens to the network', { missing }, () => {
  it(
    'is nothing: every process of it listens on the loopback address only',
    async () => {
      const stack = start('--no-tour');
      await stack.ready();
      const listeners = listenersOf(stack.child.pid!);
      // Five services, the edge, PostgreSQL and the broker.
      expect(new Set(listeners.map(({ pid }) => pid)).size).toBeGreaterThanOrEqual(8);
      expect(listeners.filter(({ address }) => !LOOPBACK.test(address))).toEqual([]);
    },
    LIMIT_MS,
  );
});

describeWith('the list of listeners', { missing }, () => {
  it.each(['127.0.0.1', '0.0.0.0', '::1', '::'])('tells the address %s as it is', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const found = listenersOf(process.pid).find((listener) => listener.port === port);
    server.close();
    expect(found).toMatchObject({ pid: process.pid, address: host });
  });
});
