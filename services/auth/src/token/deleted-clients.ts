import type { ClientDirectory } from '@kontoport/client-directory';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { deleteFamiliesOf } from './token-family.repository.ts';

const RETRY_MS = 1_000;
/** A service that starts hears of every client that was deleted within weeks. */
const CLIENTS = 1_000;
const FAMILIES = 1_000;

/**
 * Deletes the token families of every client that the directory reports as deleted, whose tokens no service takes any more;
 * tries again until the database has taken it. What was reported while this service was down, or before a crash, is
 * reported again after the start.
 */
export function forgetDeletedClients(deps: {
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
      // A message reports many in one go: they are deleted together, after this turn.
      await Promise.resolve();
      if (reported.size === 0) return undefined;
      const clientIds = [...reported].slice(0, CLIENTS);
      const families = await deleteFamiliesOf(db, { clientIds, limit: FAMILIES });
      if (families > 0) logger.info({ families }, 'token families of deleted clients deleted');
      // A full batch is followed by the next one.
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
