import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { retainedSince } from './consent.model.ts';
import { deleteEnded } from './consent.repository.ts';

const MINUTE_MS = 60_000;
const BATCH = 1_000;

/** Deletes consents 180 days after their end, in batches; replicas share the work. */
export function consentRetention({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'ended consents',
    everyMs: MINUTE_MS,
    retryMs: { first: 1_000, longest: 5 * MINUTE_MS },
    logger,
    async work() {
      const consents = await deleteEnded(db, { before: retainedSince(new Date()), limit: BATCH });
      if (consents > 0) logger.info({ consents }, 'expired consents deleted');
      // A full batch is followed by the next one.
      return consents === BATCH ? 0 : undefined;
    },
  });
}
