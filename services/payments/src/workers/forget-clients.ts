import type { ClientDirectory } from '@kontoport/client-directory';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { PaymentStore } from '../domain/ports/payment-store.ts';

const RETRY_MS = 1_000;
/** Longer than a request takes that began before its client was deleted. */
const AGAIN_MS = 60_000;

/**
 * Deletes the records of clients that the directory reports as deleted. Retries until the store has done it, and repeats it once
 * when no request of theirs can still be running, because such a request may have stored something since. After a start the
 * directory reports deleted clients again.
 */
export function forgetDeletedClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  store: Pick<PaymentStore, 'dropClient'>;
  /** Milliseconds until the repetition. */
  againMs?: number;
  logger: Logger;
}): Loop {
  const { directory, store, againMs = AGAIN_MS, logger } = deps;
  /** The time at which the records of each client are deleted, by the monotonic clock, and whether for the last time. */
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
