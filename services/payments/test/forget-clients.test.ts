import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { MemoryPaymentStore } from '../src/store/memory/memory-payment-store.ts';
import { forgetDeletedClients } from '../src/workers/forget-clients.ts';
import { keepOrder, orderOf } from './initiations.conformance.ts';
import { NOW } from './store-fixtures.ts';

const LIMITS = {
  lifetimeMs: 86_400_000,
  entriesPerClient: 100,
  entriesInAll: 1_000,
  organizationShare: 0.5,
  eventsInAll: 1_000,
};

describe('a client that is deleted (§4.4, §4.5)', () => {
  it('has no standing order left, also after a concurrent request', async () => {
    const store = new MemoryPaymentStore(LIMITS);
    const [clientId, neighbour] = [randomUUID(), randomUUID()];
    let report: (clientId: string) => void = () => undefined;
    let drops = 0;
    const loop = forgetDeletedClients({
      directory: { onDeleted: (listener) => void (report = listener) },
      store: {
        async dropClient(id) {
          await store.dropClient(id);
          drops += 1;
          // The request was authorized before the deletion, and stores its records now.
          if (drops === 1) await keepOrder(store, orderOf(id));
        },
      },
      againMs: 1,
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    await keepOrder(store, orderOf(clientId));
    const other = await keepOrder(store, orderOf(neighbour));
    loop.start();
    report(clientId);
    const live = (id: string) => store.listStandingOrders({ clientId: id, now: NOW });
    await until(() => drops === 2, { what: 'the client to be forgotten once more' });
    expect(await live(clientId)).toEqual([]);
    expect(await live(neighbour)).toEqual([other]);
    await loop.close();
    expect(drops).toBe(2);
  });
});
