import type { Kafka } from '@kontoport/events';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { observableGauge } from '@kontoport/telemetry';
import type { Db } from '../gen/db.ts';
import { findOffsetGaps, initializeIntake, tell } from './intake.repository.ts';
import { classifyOffsetGap, countRecords, type GapStatus } from './offset-gap.model.ts';

const LOOK_MS = 10_000;
const RETRY_MS = { first: 1_000, longest: 60_000 };

/** As of the last look; undefined until the first. */
let missing: Record<GapStatus, number> | undefined;

observableGauge(
  {
    name: 'kontoport.consumer.offset_gap.records',
    help: 'Records of Kafka that were committed and not taken, by whether their topics still have them.',
  },
  (observe) => {
    for (const [whereabouts, records] of Object.entries(missing ?? {}))
      observe(records, { 'kontoport.gap_status': whereabouts });
  },
);

/**
 * Says of records that were passed over, once each, however many processes look: those that the group has committed and that
 * are not recorded as taken, and those from where a partition went on too far. It repairs nothing (ADR-0032).
 * @param options.groupId whose offsets are looked at
 * @param options.topics names of all that the group reads
 */
export function reconcile(options: {
  kafka: Pick<Kafka, 'offsetsOf'>;
  db: Db;
  groupId: string;
  topics: readonly string[];
  logger: Logger;
}): Loop {
  const { kafka, db, groupId, topics } = options;
  const logger = options.logger.child({ component: 'reconciler' });

  return new Loop({
    name: 'reconciler',
    everyMs: LOOK_MS,
    retryMs: RETRY_MS,
    async work(closing) {
      const offsets = await unlessAborted(kafka.offsetsOf({ groupId, topics }), closing);
      if (offsets === undefined) return;
      const progress = offsets.map((each) => ({ ...each, committed: each.committed ?? 0n }));
      const begun = await initializeIntake(db, progress);
      if (begun > 0) logger.info({ partitions: begun }, 'what was committed so far is taken for granted');
      const starts = new Map(offsets.map((each) => [placeOf(each), each.logStart]));
      const found = (await findOffsetGaps(db, progress)).flatMap((range) =>
        classifyOffsetGap(range, starts.get(placeOf(range)) ?? 0n),
      );
      for (const range of found) {
        if (range.told || !(await tell(db, range))) continue;
        const { topic, partition, from, to, whereabouts } = range;
        logger.error(
          { topic, partition, from: String(from), to: String(to), whereabouts },
          'records passed over',
        );
      }
      const records = (whereabouts: GapStatus): number =>
        countRecords(found.filter((range) => range.whereabouts === whereabouts));
      missing = { available: records('available'), expired: records('expired') };
    },
    finish: async () => {
      missing = undefined;
    },
    logger,
  });
}

/** Nothing, as soon as we are to end: a broker may take its time, and nobody needs the answer any more. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

const placeOf = ({ topic, partition }: { topic: string; partition: number }): string =>
  `${topic} ${partition}`;
