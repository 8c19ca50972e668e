import { setTimeout as pause } from 'node:timers/promises';
import type { ClientDirectory } from '@kontoport/client-directory';
import { type Closable, describeError, type Logger } from '@kontoport/runtime';
import type pg from 'pg';
import { deleteSubscriptionsOf } from './subscription.repository.ts';

const RETRY_MS = 1_000;

/**
 * Deletes the subscriptions of every client that the directory reports as deleted; tries again until the database
 * has taken it. What was reported before a crash is reported again with the next snapshot.
 */
export function forgetDeletedClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  pool: pg.Pool;
  dispatcher: { stopClient(clientId: string): void };
  logger: Logger;
}): Closable {
  const { directory, pool, dispatcher, logger } = deps;
  const closing = new AbortController();
  const reported = new Set<string>();
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    while (reported.size > 0 && !closing.signal.aborted) {
      const clientIds = [...reported];
      try {
        const subscriptions = await deleteSubscriptionsOf(pool, clientIds);
        for (const clientId of clientIds) reported.delete(clientId);
        if (subscriptions > 0) logger.info({ subscriptions }, 'subscriptions of deleted clients deleted');
      } catch (error) {
        logger.warn({ error: describeError(error) }, 'subscriptions of deleted clients not deleted yet');
        await pause(RETRY_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
    working = undefined;
  };

  directory.onDeleted((clientId) => {
    dispatcher.stopClient(clientId);
    reported.add(clientId);
    // A snapshot reports many in one go: they are deleted together, after this turn.
    working ??= Promise.resolve().then(work);
  });

  return {
    async close() {
      closing.abort();
      await working;
    },
  };
}
