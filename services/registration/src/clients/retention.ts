import { type Logger, Loop } from '@kontoport/lifecycle';
import { forgetRevokedTokens } from '../credentials/revocation.repository.ts';
import type { Db } from '../gen/db.ts';
import { exchangeEndedNames } from './ended-names.repository.ts';
import { REQUEST_RETENTION_DAYS } from './registration-request.model.ts';
import { forgetRates } from './registration.repository.ts';
import { deleteRequests, deleteUnused, purgeTombstones } from './retention.repository.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Rows that one transaction deletes. A deletion of clients delays all other changes of clients. */
const BATCH = { clients: 100, rows: 1_000 };

/** Retention of unused data, milliseconds. */
export interface Retention {
  /** A client whose credentials were never accepted, from its registration on. */
  unusedMs: number;
  /** Tombstones of deleted clients. */
  tombstoneMs: number;
}

/** Loops that delete overdue rows in batches (§4.2); replicas share the work. */
export function retentionLoops(deps: {
  db: Db;
  hub: { wake(): void };
  retention: Retention;
  logger: Logger;
}): Loop[] {
  const { db, hub, retention, logger } = deps;
  const before = (age: number): Date => new Date(Date.now() - age);
  const loop = (name: string, limit: number, work: (limit: number) => Promise<number>): Loop =>
    new Loop({
      name,
      everyMs: MINUTE_MS,
      retryMs: { first: 1_000, longest: 5 * MINUTE_MS },
      logger,
      // A full batch is followed by the next one.
      work: async () => ((await work(limit)) === limit ? 0 : undefined),
    });
  return [
    loop('clients without a token', BATCH.clients, async (limit) => {
      const clients = await deleteUnused(db, { before: before(retention.unusedMs), now: new Date(), limit });
      if (clients > 0) {
        hub.wake();
        logger.info({ clients }, 'unused clients deleted');
      }
      return clients;
    }),
    loop('display names', BATCH.clients, async (limit) => {
      const { looked, exchanged } = await exchangeEndedNames(db, { now: new Date(), limit });
      if (exchanged > 0) {
        hub.wake();
        logger.info({ clients: exchanged }, 'display names without a valid certificate replaced');
      }
      return looked;
    }),
    loop('tombstones', BATCH.rows, async (limit) => {
      const tombstones = await purgeTombstones(db, { before: before(retention.tombstoneMs), limit });
      if (tombstones > 0) logger.info({ tombstones }, 'tombstones deleted');
      return tombstones;
    }),
    loop('request ids', BATCH.rows, (limit) =>
      deleteRequests(db, { before: before(REQUEST_RETENTION_DAYS * DAY_MS), limit }),
    ),
    loop('revoked tokens', BATCH.rows, (limit) => forgetRevokedTokens(db, { before: new Date(), limit })),
    loop('registration rates', BATCH.rows, (limit) => forgetRates(db, limit)),
  ];
}
