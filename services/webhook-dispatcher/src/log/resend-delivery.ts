import { ApiError } from '@kontoport/errors';
import { MAX_ATTEMPTS } from '../deliveries/delivery.model.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { deliveryUnknown, type DetailedDelivery, type LogOwner } from './delivery-log.model.ts';
import { resumeDelivery, selectDelivery } from './delivery-log.repository.ts';

/**
 * Sends a delivery that has ended once more, by the schedule from its beginning (§4.6).
 * @param order.eventTypes of which the client may learn
 * @throws ApiError RESOURCE_UNKNOWN; SCOPE_INSUFFICIENT for an event of another type; STATUS_INVALID while it is pending, while the subscription is paused, and when it was sent
 * as often as it may be
 */
export async function resendDelivery(
  { db }: { db: { management: Db } },
  order: { owner: LogOwner; eventId: string; eventTypes: readonly string[]; isPaused: boolean },
): Promise<DetailedDelivery> {
  const { owner, eventId, eventTypes, isPaused } = order;
  const tx = db.management;
  const resumed = await resumeDelivery(tx, { owner, eventId, eventTypes, maxAttempts: MAX_ATTEMPTS });
  const found = await selectDelivery(tx, owner, eventId);
  if (found === undefined) throw deliveryUnknown();
  if (resumed) return found;
  if (!eventTypes.includes(found.eventType))
    throw new ApiError('SCOPE_INSUFFICIENT', TEXTS('event-types-role'));
  if (isPaused) throw new ApiError('STATUS_INVALID', TEXTS('subscription-paused'));
  if (found.status === 'pending') throw new ApiError('STATUS_INVALID', TEXTS('delivery-pending'));
  throw new ApiError('STATUS_INVALID', TEXTS('delivery-sent-often', { most: MAX_ATTEMPTS }));
}
