import { type Logger, Loop } from '@kontoport/lifecycle';
import { deleteExpiredDecisions } from './authorization/authorization-decision.repository.ts';
import type { Db } from './gen/db.ts';
import { deleteExpiredFamilies } from './token/token-family.repository.ts';
import { deleteExpiredSessions } from './user-session/user-session.repository.ts';

const MINUTE_MS = 60_000;

/** Deletes decisions, token families and sessions that have expired, in batches. */
export function deleteExpiredRows({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'expired rows',
    everyMs: MINUTE_MS,
    retryMs: { first: 1_000, longest: 5 * MINUTE_MS },
    logger,
    async work() {
      const now = new Date();
      const isMore = [
        await deleteExpiredDecisions(db, now),
        await deleteExpiredFamilies(db, now),
        await deleteExpiredSessions(db, now),
      ].includes(true);
      return isMore ? 0 : undefined;
    },
  });
}
