import type { ClientDirectory } from '@kontoport/client-directory';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { deleteSubscriptionsOf } from './subscription.repository.ts';

const RETRY_MS = 1_000;
/** A service that starts gets every client that was deleted within weeks. */
const BATCH = 100;

/**
 * Deletes the subscriptions of every client that the directory reports as deleted, and retries until the database has
 * done it. After a start the directory reports again the clients that it reported before a crash.
 */
export function deleteSubscriptionsOfClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  db: { delivery: Db };
  dispatcher: { stopClient(clientId: string): void };
  logger: Logger;
}): Loop {
  const { directory, db, dispatcher, logger } = deps;
  const reported = new Set<string>();

  const loop = new Loop({
    name: 'subscriptions of deleted clients',
    everyMs: RETRY_MS,
    async work() {
      // One message reports many clients. Wait for all of them, then delete in one batch.
      await Promise.resolve();
      if (reported.size === 0) return;
      const clientIds = [...reported].slice(0, BATCH);
      const subscriptions = await deleteSubscriptionsOf(db.delivery, clientIds);
      for (const clientId of clientIds) reported.delete(clientId);
      if (subscriptions > 0) logger.info({ subscriptions }, 'subscriptions of deleted clients deleted');
      return reported.size > 0 ? 0 : undefined;
    },
    logger,
  });

  directory.onDeleted((clientId) => {
    dispatcher.stopClient(clientId);
    reported.add(clientId);
    loop.wake();
  });
  return loop;
}
