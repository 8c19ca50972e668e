import { type Logger, Loop } from '@kontoport/runtime';
import type { Db } from '../gen/db.ts';
import { removeEndedSessions } from './user-session.repository.ts';

const MINUTE_MS = 60_000;
const BATCH = 1_000;

/** Ended sessions go, in batches; any number of replicas may do it. */
export function sessionRetention({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'ended sessions',
    everyMs: MINUTE_MS,
    retryMs: { first: 1_000, longest: 5 * MINUTE_MS },
    logger,
    // A full batch is followed by the next one.
    work: async () =>
      (await removeEndedSessions(db, { now: new Date(), limit: BATCH })) === BATCH ? 0 : undefined,
  });
}
