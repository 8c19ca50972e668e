import { type Logger, Loop } from '@kontoport/lifecycle';
import { forgetDecisions } from './authorization/authorization-decision.repository.ts';
import type { Db } from './gen/db.ts';
import { forgetFamilies } from './token/token-family.repository.ts';
import { forgetSessions } from './user-session/user-session.repository.ts';

const MINUTE_MS = 60_000;

/** Forgets what no request, code, token or cookie can lead to any more, a bounded number of rows at a time. */
export function forgetEnded({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'what has ended',
    everyMs: MINUTE_MS,
    retryMs: { first: 1_000, longest: 5 * MINUTE_MS },
    logger,
    async work() {
      const now = new Date();
      const isMore = [
        await forgetDecisions(db, now),
        await forgetFamilies(db, now),
        await forgetSessions(db, now),
      ].includes(true);
      return isMore ? 0 : undefined;
    },
  });
}
