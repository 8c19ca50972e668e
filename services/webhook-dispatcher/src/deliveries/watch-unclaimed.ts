import { type Logger, Loop } from '@kontoport/runtime';
import type { Db } from '../gen/db.ts';
import { LaneWalk, longestUnclaimed } from './lane.repository.ts';

const LOOK_MS = 5_000;
/** A pause that ends makes old deliveries due, for the moment until they are claimed. */
const LOOKS_IN_A_ROW = 2;

/** Watches how long deliveries are due that no process has claimed. */
export interface UnclaimedWatch {
  readonly loop: Loop;
  /** The longest, in milliseconds, as of the last walk over all lanes; undefined until the first has ended. */
  longestMs(): number | undefined;
}

/**
 * Looks at one delivery of each lane, and says so when one stays due and unclaimed for longer than `limitMs`, and when that is
 * over: then there are too few processes, or those that there are have stopped claiming.
 */
export function watchUnclaimed(options: {
  db: Db;
  /** Milliseconds. */
  limitMs: number;
  logger: Logger;
}): UnclaimedWatch {
  const { db, limitMs } = options;
  const logger = options.logger.child({ component: 'dispatcher' });
  const walk = new LaneWalk();
  let soFar = 0;
  let longestMs: number | undefined;
  let above = 0;

  const judge = (milliseconds: number): void => {
    const isSaid = above >= LOOKS_IN_A_ROW;
    above = milliseconds > limitMs ? above + 1 : 0;
    const figures = { longestMs: Math.round(milliseconds), limitMs };
    if (above === LOOKS_IN_A_ROW) logger.error(figures, 'deliveries are due and nobody claims them');
    if (isSaid && above === 0) logger.info(figures, 'deliveries are claimed in time again');
  };

  const loop = new Loop({
    name: 'unclaimed deliveries',
    everyMs: LOOK_MS,
    async work() {
      soFar = Math.max(soFar, await longestUnclaimed(db, walk));
      // Else lanes are left for the next statements.
      if (!walk.isAtBeginning) return 0;
      longestMs = soFar;
      soFar = 0;
      judge(longestMs);
      return LOOK_MS;
    },
    logger,
  });
  return { loop, longestMs: () => longestMs };
}
