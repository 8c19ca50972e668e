import { type ClientDirectory, deletedClientsLoop } from '@kontoport/client-directory';
import { inTransaction, type Tx } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import {
  claimDeletedClient,
  deleteBank,
  deleteTransactions,
  forgetSwept,
  isLastOfBank,
  noteDeleted,
  sweepClient,
} from './deleted-clients.repository.ts';

const HOUR = 3_600_000;

/** Payments expire after 24 hours, and an approved one still settles. */
const KEPT_MS = 25 * HOUR;
/** The directory reports a deletion for 30 days. */
const REMEMBERED_MS = 60 * 24 * HOUR;

const SWEEP = { everyMs: 60_000, pauseMs: 20, batch: 500 };

/** Records deleted clients. */
export function noteDeletedClients(deps: {
  directory: Pick<ClientDirectory, 'onDeleted'>;
  db: Db;
  logger: Logger;
}): Loop {
  const { directory, db, logger } = deps;
  return deletedClientsLoop({
    name: 'deleted clients of the sandbox',
    directory,
    batch: 1_000,
    async handle(clientIds) {
      await noteDeleted(db, clientIds);
      return true;
    },
    logger,
  });
}

/**
 * Deletes the data of clients 25 hours after their deletion, and a simulated bank with its last client. It works in
 * small batches with a pause after each. One replica at a time sweeps a client; after a crash another one continues.
 */
export function sweepClients({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'data of deleted clients',
    everyMs: SWEEP.everyMs,
    async work() {
      if (await inTransaction(db, sweepNext)) return SWEEP.pauseMs;
      await forgetSwept(db, { afterMs: REMEMBERED_MS, limit: SWEEP.batch });
      return undefined;
    },
    logger,
  });
}

/** @returns false when there is nothing to sweep */
async function sweepNext(tx: Tx): Promise<boolean> {
  const client = await claimDeletedClient(tx, KEPT_MS);
  if (client === undefined) return false;
  const { organization } = client;
  if (organization !== null && (await isLastOfBank(tx, client))) {
    const deleted = await deleteTransactions(tx, { organization, limit: SWEEP.batch });
    if (deleted === SWEEP.batch) return true;
    await deleteBank(tx, organization);
  }
  await sweepClient(tx, client);
  return true;
}
