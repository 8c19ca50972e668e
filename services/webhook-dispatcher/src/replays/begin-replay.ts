import { ApiError } from '@kontoport/errors';
import type { Db } from '../gen/db.ts';
import type { LogOwner } from '../log/delivery-log.model.ts';
import type { PartitionRetention } from '../retention/partition-retention.ts';
import { subscriptionUnknown } from '../subscriptions/subscription.model.ts';
import { TEXTS } from '../texts.ts';
import { MAX_REPLAYS, type Replay, windowOf } from './replay.model.ts';
import { insertReplay } from './replay.repository.ts';

/**
 * Begins to send the events of a time range again (§4.6).
 * @throws ApiError FORMAT_ERROR for an invalid range; STATUS_INVALID while the subscription is paused, while a replay of it runs, or
 * while too many of the client run; RATE_LIMITED; RESOURCE_UNKNOWN
 */
export async function beginReplay(
  { db, retention }: { db: { management: Db }; retention: Pick<PartitionRetention, 'firstDay'> },
  order: { owner: LogOwner; from: Date; to: Date | undefined; now: Date },
): Promise<Replay> {
  const { owner, now } = order;
  const window = windowOf(order, { now, firstDay: retention.firstDay(now) });
  const begun = await insertReplay(db.management, owner, window);
  if (!('refused' in begun)) return begun;
  switch (begun.refused) {
    case 'unknown':
      throw subscriptionUnknown();
    case 'paused':
      throw new ApiError('STATUS_INVALID', TEXTS('subscription-paused'));
    case 'running':
      throw new ApiError('STATUS_INVALID', TEXTS('replay-running'));
    case 'too many at once':
      throw new ApiError('STATUS_INVALID', TEXTS('replays-at-once', { most: MAX_REPLAYS.atOnce }));
    case 'too often':
      throw new ApiError('RATE_LIMITED', TEXTS('replays-too-often', { most: MAX_REPLAYS.anHour }), {
        retryAfterSeconds: begun.seconds,
      });
  }
}
