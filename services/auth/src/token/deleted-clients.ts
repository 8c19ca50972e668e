import { type ClientDirectory, deletedClientsLoop } from '@kontoport/client-directory';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { deleteFamiliesOf } from './token-family.repository.ts';

const FAMILIES = 1_000;

/** Deletes the token families of deleted clients. */
export function deleteClientFamilies(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  db: Db;
  logger: Logger;
}): Loop {
  const { directory, db, logger } = deps;
  return deletedClientsLoop({
    name: 'token families of deleted clients',
    directory,
    batch: 1_000,
    async handle(clientIds) {
      const families = await deleteFamiliesOf(db, { clientIds, limit: FAMILIES });
      if (families > 0) logger.info({ families }, 'token families of deleted clients deleted');
      // A full batch may leave more rows.
      return families < FAMILIES;
    },
    logger,
  });
}
