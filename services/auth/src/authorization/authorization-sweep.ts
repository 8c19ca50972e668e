import { type Logger, Loop } from '@kontoport/runtime';
import type { Db } from '../gen/db.ts';
import { forgetFamilies } from '../token/token-family.repository.ts';
import { forgetDecisions } from './authorization-request.repository.ts';

const SWEEP_MS = 60_000;

/** Forgets what no request, code or token can lead to any more, a bounded number of rows at a time. */
export function authorizationSweep({ db, logger }: { db: Db; logger: Logger }): Loop {
  return new Loop({
    name: 'ended authorizations',
    everyMs: SWEEP_MS,
    logger,
    async work() {
      const now = new Date();
      const isMore = [await forgetDecisions(db, now), await forgetFamilies(db, now)].includes(true);
      return isMore ? 0 : SWEEP_MS;
    },
  });
}
