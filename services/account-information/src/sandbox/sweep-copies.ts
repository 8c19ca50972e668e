import type { ClientDirectory } from '@kontoport/client-directory';
import { inTransaction } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import {
  claimDeletedCopy,
  deleteCopy,
  deleteTransactions,
  forgetSwept,
  noteDeleted,
} from './deleted-copies.repository.ts';

const HOUR = 3_600_000;

/** Payments live for 24 hours, and an approved one still settles. */
const KEPT_MS = 25 * HOUR;
/** The directory tells of a deletion for 30 days. */
const REMEMBERED_MS = 60 * 24 * HOUR;

const NOTE = { everyMs: 1_000, batch: 1_000 };
const SWEEP = { everyMs: 60_000, pauseMs: 20, batch: 500 };

/**
 * Notes every client that the directory reports as deleted; tries again until the database has taken it. What was
 * reported while this service was down, or before a crash, is reported again after the start.
 */
export function noteDeletedClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  db: Db;
  logger: Logger;
}): Loop {
  const { directory, db, logger } = deps;
  const reported = new Set<string>();
  const loop = new Loop({
    name: 'deleted clients of the sandbox',
    everyMs: NOTE.everyMs,
    async work() {
      // A message reports many in one go: they are noted together, after this turn.
      await Promise.resolve();
      if (reported.size === 0) return undefined;
      const clientIds = [...reported].slice(0, NOTE.batch);
      await noteDeleted(db, clientIds);
      for (const clientId of clientIds) reported.delete(clientId);
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

/**
 * Deletes the copies of clients that were deleted 25 hours ago, in small batches with a pause after each; a copy is in
 * the hands of one replica at a time, and a crash leaves the rest to the next.
 */
export function sweepCopies({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'copies of deleted clients',
    everyMs: SWEEP.everyMs,
    async work() {
      const swept = await inTransaction(db, async (tx) => {
        const clientId = await claimDeletedCopy(tx, KEPT_MS);
        if (clientId === undefined) return false;
        const deleted = await deleteTransactions(tx, { clientId, limit: SWEEP.batch });
        if (deleted < SWEEP.batch) await deleteCopy(tx, clientId);
        return true;
      });
      if (swept) return SWEEP.pauseMs;
      await forgetSwept(db, { afterMs: REMEMBERED_MS, limit: SWEEP.batch });
      return undefined;
    },
    logger,
  });
}
