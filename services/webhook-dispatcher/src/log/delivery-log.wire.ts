import { cursorOf, instant, pageOfList, readCursor } from '@kontoport/http';
import { z } from 'zod';
import { ATTEMPT_REASONS, type MadeAttempt } from '../deliveries/delivery.model.ts';
import { DELIVERED_TYPES } from '../event-types/webhook-event.model.ts';
import {
  DELIVERY_STATUSES,
  type DetailedDelivery,
  type LoggedDelivery,
  type LogPage,
  type LogRequest,
} from './delivery-log.model.ts';

const INSTANT = 'A date, which means 12:00 on that day, or a date-time; UTC if it has no zone.';

/** The query of `GET /v1/webhook-subscriptions/{id}/deliveries` (§4.6). */
export const logQuery = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Only deliveries with this status.' }),
  eventType: z.enum(DELIVERED_TYPES).optional().meta({ description: 'Only deliveries of this type.' }),
  from: instant('up')
    .optional()
    .meta({
      description: `Only deliveries of events at or after it. ${INSTANT}`,
      param: { example: '2026-01-31' },
    }),
  to: instant('up')
    .optional()
    .meta({
      description: `Only deliveries of events before it. ${INSTANT}`,
      param: { example: '2026-02-28T23:00:00Z' },
    }),
  ...pageOfList('deliveries'),
});

/** @throws ApiError CURSOR_INVALID */
export function logRequest(query: z.output<typeof logQuery>): LogRequest {
  const { status, eventType, from, to, cursor, limit } = query;
  const position = readCursor(cursor);
  const at = (text: string | undefined): Date | undefined =>
    text === undefined ? undefined : new Date(text);
  return {
    status,
    eventType,
    from: at(from),
    to: at(to),
    after: position && { eventTime: position.at, eventId: position.id },
    limit,
  };
}

const deliveryFields = {
  deliveryId: z.guid().meta({ description: 'The `idempotencyKey` of the event.' }),
  eventType: z.string().meta({ description: 'The type of the event, such as `Posting.CreatedV1`.' }),
  eventTime: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of the event.' }),
  status: z
    .enum(DELIVERY_STATUSES)
    .meta({ description: 'Whether it is still attempted, was accepted, or has used up its attempts.' }),
  attempts: z.int().meta({ description: 'The number of attempts so far.' }),
  nextAttemptAt: z.iso
    .datetime({ precision: 3 })
    .optional()
    .meta({ description: 'Only of a pending delivery.' }),
};

/** Answer to `GET /v1/webhook-subscriptions/{id}/deliveries`. */
export const logAnswer = z
  .object({
    deliveries: z
      .array(z.object(deliveryFields))
      .meta({ description: 'The deliveries of this page, newest event first.' }),
    nextCursor: z.string().optional().meta({
      description:
        'The cursor of the next page; absent from the last one. A page may be shorter than `limit`.',
    }),
  })
  .meta({ id: 'WebhookDeliveries' });

/** A delivery with its attempts. */
export const deliveryAnswer = z
  .object({
    ...deliveryFields,
    attempts: z
      .array(
        z.object({
          number: z.int().meta({ description: '1 for the first attempt.' }),
          startedAt: z.iso
            .datetime({ precision: 3 })
            .meta({ description: 'The time at which the attempt began.' }),
          milliseconds: z.int().meta({ description: 'The duration of the attempt.' }),
          outcome: z.enum(['accepted', 'rejected', 'timeout', 'unreachable', 'forbidden']).meta({
            description:
              'In this order: a 2xx; another status; no answer in time; no connection or no HTTP; a forbidden address.',
          }),
          reason: z.enum(ATTEMPT_REASONS).optional().meta({
            description:
              'The reason of a failure; absent after a 2xx. The contract lists the remedy for each (§6).',
          }),
          httpStatus: z.int().optional().meta({ description: 'The status of the answer, if there was one.' }),
          responseExcerpt: z
            .string()
            .optional()
            .meta({ description: 'The beginning of the body of a refusal, at most 1 KB, as UTF-8.' }),
        }),
      )
      .meta({ description: 'The attempts so far, the first one first.' }),
  })
  .meta({ id: 'WebhookDelivery' });

export const logExample: z.input<typeof logAnswer> = {
  deliveries: [
    {
      deliveryId: '0a2f1e1c-3a3e-4b5f-9d3c-2f4e6a8b0c1d',
      eventType: 'Posting.CreatedV1',
      eventTime: '2026-11-21T12:00:00.000Z',
      status: 'pending',
      attempts: 1,
      nextAttemptAt: '2026-11-21T12:00:05.250Z',
    },
  ],
};

export const deliveryExample: z.input<typeof deliveryAnswer> = {
  ...logExample.deliveries[0]!,
  attempts: [
    {
      number: 1,
      startedAt: '2026-11-21T12:00:00.125Z',
      milliseconds: 38,
      outcome: 'rejected',
      reason: 'status',
      httpStatus: 401,
      responseExcerpt: '{"error":"the signature is wrong"}',
    },
  ],
};

const summary = ({ eventId, eventType, eventTime, status, nextAttemptAt }: LoggedDelivery) => ({
  deliveryId: eventId,
  eventType,
  eventTime: eventTime.toISOString(),
  status,
  ...(nextAttemptAt === null ? {} : { nextAttemptAt: nextAttemptAt.toISOString() }),
});

/** A page as its owner sees it. */
export function logToWire({ deliveries, next }: LogPage): z.input<typeof logAnswer> {
  return {
    deliveries: deliveries.map((delivery) => ({ ...summary(delivery), attempts: delivery.attempts })),
    ...(next === undefined ? {} : { nextCursor: cursorOf({ at: next.eventTime, id: next.eventId }) }),
  };
}

/** A delivery as its owner sees it. @param open decrypts a sealed excerpt */
export function deliveryToWire(
  delivery: DetailedDelivery,
  open: (sealedExcerpt: string) => string,
): z.input<typeof deliveryAnswer> {
  const attempt = ({ sealedExcerpt, ...made }: MadeAttempt, at: number) => ({
    number: at + 1,
    ...made,
    ...(sealedExcerpt === undefined ? {} : { responseExcerpt: open(sealedExcerpt) }),
  });
  return { ...summary(delivery), attempts: delivery.made.map(attempt) };
}
