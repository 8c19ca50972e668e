import type { ClientDirectory } from '@kontoport/client-directory';
import { type Logger, Loop } from '@kontoport/runtime';
import type { PaymentStore } from './payment-store.ts';

const RETRY_MS = 1_000;

/**
 * Forgets what clients kept that the directory reports as deleted; tries again until the store has done it. What was reported
 * before a crash is reported again after the start.
 */
export function forgetDeletedClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  store: Pick<PaymentStore, 'dropClient'>;
  logger: Logger;
}): Loop {
  const { directory, store, logger } = deps;
  const reported = new Set<string>();
  const loop = new Loop({
    name: 'payments of deleted clients',
    everyMs: RETRY_MS,
    async work() {
      for (const clientId of reported) {
        await store.dropClient(clientId);
        reported.delete(clientId);
      }
    },
    logger,
  });
  directory.onDeleted((clientId) => {
    reported.add(clientId);
    loop.wake();
  });
  return loop;
}
