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
