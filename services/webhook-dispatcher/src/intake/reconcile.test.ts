import { createLogger } from '@kontoport/lifecycle';
import { reconcile } from './reconcile.ts';

describe('the reconciler', () => {
  it('closes while the broker does not answer', async () => {
    const asked = Promise.withResolvers<void>();
    const offsetsOf = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const logger = createLogger({ service: 'test', level: 'silent' });
    const db = {} as Parameters<typeof reconcile>[0]['db'];
    const loop = reconcile({ kafka: { offsetsOf }, db, groupId: 'g', topics: ['t'], logger });
    loop.start();
    await asked.promise;
    expect(await loop.close()).toBeUndefined();
  });
});
