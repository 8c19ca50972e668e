import type { ClientDirectory } from '@kontoport/client-directory';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { PaymentStore } from '../domain/ports/payment-store.ts';

const RETRY_MS = 1_000;
/** Longer than a request takes that was let in before its client was deleted. */
const AGAIN_MS = 60_000;

/**
 * Forgets what clients kept that the directory reports as deleted; tries again until the store has done it, and once more
 * when no request of theirs can be under way any longer, which could have kept something since. What was reported before a
 * crash is reported again after the start.
 */
export function forgetDeletedClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  store: Pick<PaymentStore, 'dropClient'>;
  /** Milliseconds after which it is done once more. */
  againMs?: number;
  logger: Logger;
}): Loop {
  const { directory, store, againMs = AGAIN_MS, logger } = deps;
  /** When each is to be forgotten, by the monotonic clock, and whether for the last time. */
  const reported = new Map<string, { at: number; isLast: boolean }>();
  const loop = new Loop({
    name: 'payments of deleted clients',
    everyMs: RETRY_MS,
    async work() {
      for (const [clientId, { at, isLast }] of reported) {
        if (at > performance.now()) continue;
        await store.dropClient(clientId);
        if (isLast) reported.delete(clientId);
        else reported.set(clientId, { at: performance.now() + againMs, isLast: true });
      }
    },
    logger,
  });
  directory.onDeleted((clientId) => {
    reported.set(clientId, { at: 0, isLast: false });
    loop.wake();
  });
  return loop;
}
