import { type ClientDirectory, deletedClientsLoop } from '@kontoport/client-directory';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { deleteSubscriptionsOf } from './subscription.repository.ts';

/** Stops the deliveries of clients when they are deleted, and deletes their subscriptions. */
export function deleteSubscriptionsOfClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  db: { delivery: Db };
  dispatcher: { stopClient(clientId: string): void };
  logger: Logger;
}): Loop {
  const { directory, db, dispatcher, logger } = deps;
  directory.onDeleted((clientId) => dispatcher.stopClient(clientId));
  return deletedClientsLoop({
    name: 'subscriptions of deleted clients',
    directory,
    batch: 100,
    async handle(clientIds) {
      const subscriptions = await deleteSubscriptionsOf(db.delivery, clientIds);
      if (subscriptions > 0) logger.info({ subscriptions }, 'subscriptions of deleted clients deleted');
      return true;
    },
    logger,
  });
}
