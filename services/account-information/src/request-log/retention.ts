import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { keptSince } from './logged-request.model.ts';
import { deleteOld } from './logged-request.repository.ts';

const MINUTE_MS = 60_000;
const BATCH = 1_000;

/** Deletes requests of the log after 30 days, in batches; replicas share the work. */
export function requestRetention({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'old requests',
    everyMs: MINUTE_MS,
    retryMs: { first: 1_000, longest: 5 * MINUTE_MS },
    logger,
    async work() {
      const deleted = await deleteOld(db, { before: keptSince(new Date()), limit: BATCH });
      return deleted === BATCH ? 0 : undefined;
    },
  });
}
