import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { type Day, dayOf, firstRetainedDay } from './partition-day.model.ts';
import { createPartitions, dropPartitionsBefore } from './partitions.repository.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_MS = { first: 1_000, longest: 60_000 };

/** Retention of events and the delivery log: whole days, each a partition (§6). */
export interface PartitionRetention {
  readonly loop: Loop;
  /** Returns the first day that is kept. */
  firstDay(now: Date): Day;
  /** Returns whether events of this time are kept. */
  retains(time: Date, now: Date): boolean;
  /** Creates the partitions of these times, unless they exist. */
  ensurePartitions(times: readonly Date[]): Promise<void>;
}

/** Keeps `retentionMs` of events and log: creates the next partitions ahead of time, and drops old ones. */
export function partitionRetention(options: {
  db: Pick<Db, 'pool'>;
  retentionMs: number;
  logger: Logger;
}): PartitionRetention {
  const { db, retentionMs, logger } = options;
  let known = new Set<Day>();
  const firstDay = (now: Date): Day => firstRetainedDay({ now, retentionMs });

  async function ensurePartitions(times: readonly Date[]): Promise<void> {
    const missing = [...new Set(times.map(dayOf))].filter((day) => !known.has(day));
    if (missing.length === 0) return;
    await createPartitions(db, missing);
    for (const day of missing) known.add(day);
  }

  const loop = new Loop({
    name: 'days of history',
    everyMs: HOUR_MS,
    retryMs: RETRY_MS,
    async work() {
      const now = new Date();
      await ensurePartitions([now, new Date(now.getTime() + DAY_MS)]);
      const first = firstDay(now);
      const { days, pending } = await dropPartitionsBefore(db, first);
      known = new Set([...known].filter((day) => day >= first));
      if (days.length > 0) logger.info({ days, pending }, 'old days of history dropped');
    },
    logger,
  });
  return { loop, firstDay, retains: (time, now) => dayOf(time) >= firstDay(now), ensurePartitions };
}
