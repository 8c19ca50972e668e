import type { Kafka } from '@kontoport/events';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { observableGauge } from '@kontoport/telemetry';
import type { Db } from '../gen/db.ts';
import { findOffsetGaps, initializeIntake, markReported } from './intake.repository.ts';
import { classifyOffsetGap, countRecords, type GapStatus } from './offset-gap.model.ts';

const LOOK_MS = 10_000;
const RETRY_MS = { first: 1_000, longest: 60_000 };

/** The result of the last check; undefined before the first. */
let missing: Record<GapStatus, number> | undefined;

observableGauge(
  {
    name: 'kontoport.consumer.offset_gap.records',
    help: 'Records of Kafka that were committed but not processed, by whether their topics still have them.',
  },
  (observe) => {
    for (const [gapStatus, records] of Object.entries(missing ?? {}))
      observe(records, { 'kontoport.gap_status': gapStatus });
  },
);

/**
 * Reports records that were passed over, each by one process: records that the group has committed, or after which it went on, and
 * that are not recorded as processed. It repairs nothing (ADR-0032).
 * @param options.topics names of all topics that the group reads
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
      if (begun > 0)
        logger.info({ partitions: begun }, 'committed offsets of new partitions recorded as processed');
      const starts = new Map(offsets.map((each) => [placeOf(each), each.logStart]));
      const found = (await findOffsetGaps(db, progress)).flatMap((range) =>
        classifyOffsetGap(range, starts.get(placeOf(range)) ?? 0n),
      );
      for (const range of found) {
        if (range.isReported || !(await markReported(db, range))) continue;
        const { topic, partition, from, to, gapStatus } = range;
        logger.error(
          { topic, partition, from: String(from), to: String(to), gapStatus },
          'records passed over',
        );
      }
      const records = (status: GapStatus): number =>
        countRecords(found.filter(({ gapStatus }) => gapStatus === status));
      missing = { available: records('available'), expired: records('expired') };
    },
    finish: async () => {
      missing = undefined;
    },
    logger,
  });
}

/** Resolves with undefined on shutdown, so that a slow broker does not delay it. */
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
