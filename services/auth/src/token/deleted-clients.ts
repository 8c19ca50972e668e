import type { ClientDirectory } from '@kontoport/client-directory';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { deleteFamiliesOf } from './token-family.repository.ts';

const RETRY_MS = 1_000;
/** Clients per statement. After a start the directory reports every client that was deleted within weeks. */
const CLIENTS = 1_000;
const FAMILIES = 1_000;

/**
 * Deletes the token families of clients that the directory reports as deleted, and retries until it succeeds. The directory
 * repeats its reports after a start, so a crash loses none.
 */
export function deleteClientFamilies(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  db: Db;
  logger: Logger;
}): Loop {
  const { directory, db, logger } = deps;
  const reported = new Set<string>();
  const loop = new Loop({
    name: 'token families of deleted clients',
    everyMs: RETRY_MS,
    async work() {
      // One message reports many deletions: the next turn of the event loop handles them together.
      await Promise.resolve();
      if (reported.size === 0) return undefined;
      const clientIds = [...reported].slice(0, CLIENTS);
      const families = await deleteFamiliesOf(db, { clientIds, limit: FAMILIES });
      if (families > 0) logger.info({ families }, 'token families of deleted clients deleted');
      // A full batch may leave more rows.
      if (families < FAMILIES) for (const clientId of clientIds) reported.delete(clientId);
      return reported.size > 0 ? 0 : undefined;
    },
    logger,
  });
  directory.onDeleted((clientId) => {
    reported.add(clientId);
    loop.wake();
  });
  return loop;
}
