import { ApiError } from '@kontoport/errors';
import type { MadeAttempt } from '../deliveries/delivery.model.ts';
import { TEXTS } from '../texts.ts';

/** The status of a delivery (§4.6). */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The place of a delivery in the log: newest event first, then by id. */
export interface LogPosition {
  eventTime: Date;
  /** The idempotencyKey, by which a subscription knows its delivery. */
  eventId: string;
}

/** A delivery as the log lists it. */
export interface LoggedDelivery extends LogPosition {
  eventType: string;
  status: DeliveryStatus;
  attempts: number;
  /** Of a pending one. */
  nextAttemptAt: Date | null;
}

/** A delivery with its attempts, oldest first. */
export interface DetailedDelivery extends LoggedDelivery {
  subscriptionId: string;
  made: MadeAttempt[];
}

/** The subscription whose log is read: the client's own, by the id that it chose. */
export interface LogOwner {
  clientId: string;
  id: string;
}

/** The filter of the deliveries. */
export interface LogRequest {
  status?: DeliveryStatus | undefined;
  eventType?: string | undefined;
  /** Only events at or after this time. */
  from?: Date | undefined;
  /** Of events before it. */
  to?: Date | undefined;
  after?: LogPosition | undefined;
  /** Deliveries of a page, at most. */
  limit: number;
}

/** A page, and where the next one begins; nothing when there is none. */
export interface LogPage {
  deliveries: LoggedDelivery[];
  next: LogPosition | undefined;
}

/** Deliveries read for one page. A filter that few match returns short pages instead of a slow answer. */
export const MAX_EXAMINED = 1_000;

/**
 * Makes a page of the examined deliveries.
 * @param examined in the order of the log; as many as `most` when there may be more
 */
export function pageOf(
  examined: readonly LoggedDelivery[],
  { request, most }: { request: LogRequest; most: number },
): LogPage {
  const { status, eventType, limit } = request;
  const deliveries: LoggedDelivery[] = [];
  for (const [at, delivery] of examined.entries()) {
    const isAsked =
      (status === undefined || delivery.status === status) &&
      (eventType === undefined || delivery.eventType === eventType);
    if (!isAsked) continue;
    deliveries.push(delivery);
    if (deliveries.length < limit) continue;
    const isLast = at === examined.length - 1 && examined.length < most;
    return { deliveries, next: isLast ? undefined : positionOf(delivery) };
  }
  return { deliveries, next: examined.length < most ? undefined : positionOf(examined.at(-1)!) };
}

const positionOf = ({ eventTime, eventId }: LogPosition): LogPosition => ({ eventTime, eventId });

/** The same error for an unknown id, an expired delivery and one of another subscription (§4.6). */
export function deliveryUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('delivery-unknown'));
}
