import { ApiError } from '@kontoport/errors';
import { MAX_ATTEMPTS } from '../deliveries/delivery.model.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { deliveryUnknown, type DetailedDelivery, type LogOwner } from './delivery-log.model.ts';
import { resumeDelivery, selectDelivery } from './delivery-log.repository.ts';

/**
 * Sends a finished delivery again, with the whole schedule (§4.6).
 * @param order.eventTypes those that the client may receive
 * @throws ApiError RESOURCE_UNKNOWN; SCOPE_INSUFFICIENT for an event of another type; STATUS_INVALID while the delivery is pending or
 * the subscription is paused, and once the delivery has had all its attempts
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
