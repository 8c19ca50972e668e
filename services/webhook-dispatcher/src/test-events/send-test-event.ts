import { randomUUID } from 'node:crypto';
import { ApiError } from '@kontoport/errors';
import { TEST_EVENT } from '../event-types/webhook-event.model.ts';
import type { Db } from '../gen/db.ts';
import type { DetailedDelivery, LogOwner } from '../log/delivery-log.model.ts';
import { selectDelivery } from '../log/delivery-log.repository.ts';
import type { PartitionRetention } from '../retention/partition-retention.ts';
import { subscriptionUnknown } from '../subscriptions/subscription.model.ts';
import { TEXTS } from '../texts.ts';
import { findTestLimits, insertTest, MAX_TESTS_A_DAY } from './test-event.repository.ts';

/**
 * Makes a `Webhook.TestV1` for one subscription, which is signed, sent and logged as any other (§4.6).
 * @throws ApiError STATUS_INVALID while the subscription is paused; RATE_LIMITED when it is tested more than once a second, or
 * more than 1,000 times a day; RESOURCE_UNKNOWN
 */
export async function sendTestEvent(
  { db, retention }: { db: { management: Db }; retention: Pick<PartitionRetention, 'ensurePartitions'> },
  { owner, now }: { owner: LogOwner; now: Date },
): Promise<DetailedDelivery> {
  const tx = db.management;
  const eventId = randomUUID();
  const content = { idempotencyKey: eventId, eventTime: now.toISOString(), eventType: TEST_EVENT, data: {} };
  await retention.ensurePartitions([now]);
  const isMade = await insertTest(tx, owner, { eventId, time: now, content: JSON.stringify(content) });
  if (!isMade) throw await refusalOf(tx, owner);
  const made = await selectDelivery(tx, owner, eventId);
  if (made === undefined) throw subscriptionUnknown();
  return made;
}

/** The reason why no test event was created. */
async function refusalOf(db: Db, owner: LogOwner): Promise<ApiError> {
  const found = await findTestLimits(db, owner);
  if (found === undefined) return subscriptionUnknown();
  if (found.status === 'PAUSED') return new ApiError('STATUS_INVALID', TEXTS('subscription-paused'));
  const { isDayFull, retryAfterSeconds } = found;
  const text = isDayFull ? TEXTS('tests-a-day', { most: MAX_TESTS_A_DAY }) : TEXTS('tests-a-second');
  return new ApiError('RATE_LIMITED', text, { retryAfterSeconds });
}
