import type { Tx } from '@kontoport/database';
import type { MadeAttempt } from '../deliveries/delivery.model.ts';
import {
  type DeliveryStatus,
  type DetailedDelivery,
  type LoggedDelivery,
  type LogOwner,
  type LogPage,
  type LogRequest,
  MAX_EXAMINED,
  pageOf,
} from './delivery-log.model.ts';

/** The owner's own live subscription. */
const OWN = `own AS (
  SELECT internal_id FROM subscription WHERE client_id = $1 AND id = $2 AND status <> 'DELETED'
)`;

interface Row {
  event_time: Date;
  event_id: string;
  type: string;
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: Date | null;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Selects a page of the log (§4.6): pending and finished deliveries, newest event first. The key is compared as a whole row: with
 * an equality of the subscription the planner could read all pending deliveries by the index of due times and sort them.
 * SQL: a keyset page.
 */
export async function selectDeliveries(tx: Tx, owner: LogOwner, request: LogRequest): Promise<LogPage> {
  const isFiltered = request.status !== undefined || request.eventType !== undefined;
  const most = isFiltered ? MAX_EXAMINED : request.limit + 1;
  const { eventTime, eventId } = request.after ?? { eventTime: request.to ?? 'infinity', eventId: NO_ID };
  const { rows } = await tx.query<Row>({
    name: 'delivery-log',
    text: `
      WITH ${OWN}, examined AS (
        SELECT * FROM (
          (SELECT event_time, event_id, 'pending' AS status, attempts, due_at AS next_attempt_at FROM delivery
           WHERE (subscription_id, event_time, event_id) < ((SELECT internal_id FROM own), $3::timestamptz, $4::uuid)
             AND (subscription_id, event_time) >= ((SELECT internal_id FROM own), $5::timestamptz)
           ORDER BY subscription_id DESC, event_time DESC, event_id DESC LIMIT $6)
          UNION ALL
          (SELECT event_time, event_id, status, attempts, NULL FROM delivery_log
           WHERE subscription_id = (SELECT internal_id FROM own)
             AND (event_time, event_id) < ($3::timestamptz, $4::uuid) AND event_time >= $5::timestamptz
           ORDER BY subscription_id DESC, event_time DESC, event_id DESC LIMIT $6)
        ) AS both_parts ORDER BY event_time DESC, event_id DESC LIMIT $6
      )
      SELECT examined.*, event.type FROM examined
      CROSS JOIN LATERAL (
        SELECT type FROM event WHERE id = examined.event_id AND time = examined.event_time OFFSET 0
      ) AS event
      ORDER BY event_time DESC, event_id DESC`,
    values: [owner.clientId, owner.id, eventTime, eventId, request.from ?? '-infinity', most],
  });
  return pageOf(rows.map(toDelivery), { request, most });
}

/** Selects a delivery of the owner's own subscription, with its attempts. SQL: one statement reads both tables, because deliveries move. */
export async function selectDelivery(
  tx: Tx,
  owner: LogOwner,
  eventId: string,
): Promise<DetailedDelivery | undefined> {
  const { rows } = await tx.query<Row & { subscription_id: string; made: MadeAttempt[] }>({
    name: 'delivery-of-log',
    text: `
      WITH ${OWN}, event AS (SELECT id, time, type FROM event WHERE id = $3)
      SELECT found.*, event.type FROM event CROSS JOIN own CROSS JOIN LATERAL (
        SELECT subscription_id, event_time, event_id, 'pending' AS status, attempts, due_at AS next_attempt_at, made
        FROM delivery WHERE subscription_id = internal_id AND event_time = event.time AND event_id = event.id
        UNION ALL
        SELECT subscription_id, event_time, event_id, status, attempts, NULL, made
        FROM delivery_log WHERE subscription_id = internal_id AND event_time = event.time AND event_id = event.id
      ) AS found LIMIT 1`,
    values: [owner.clientId, owner.id, eventId],
  });
  const [row] = rows;
  return row && { ...toDelivery(row), made: row.made, subscriptionId: row.subscription_id };
}

/**
 * Makes a finished delivery pending again: due now, at the beginning of the schedule. It does nothing if the subscription is
 * paused, the delivery has had `maxAttempts`, or its event has another type.
 * SQL: one statement decides and moves the row.
 * @returns whether the delivery is pending now
 */
export async function resumeDelivery(
  tx: Tx,
  order: { owner: LogOwner; eventId: string; eventTypes: readonly string[]; maxAttempts: number },
): Promise<boolean> {
  const { owner, eventId, eventTypes, maxAttempts } = order;
  const { rowCount } = await tx.query(
    // The whole key: a join would leave the planner free to read the whole log of the subscription.
    `WITH ended AS (
       DELETE FROM delivery_log
       WHERE subscription_id = (SELECT internal_id FROM subscription WHERE client_id = $1 AND id = $2 AND status = 'ACTIVE')
         AND event_time = (SELECT time FROM event WHERE id = $3 AND type = ANY ($5::text[]))
         AND event_id = $3 AND attempts < $4
       RETURNING subscription_id, event_time, event_id, attempts, made
     )
     INSERT INTO delivery (subscription_id, event_time, event_id, attempts, made)
     SELECT subscription_id, event_time, event_id, attempts, made FROM ended`,
    [owner.clientId, owner.id, eventId, maxAttempts, eventTypes],
  );
  return rowCount === 1;
}

function toDelivery(row: Row): LoggedDelivery {
  return {
    eventTime: row.event_time,
    eventId: row.event_id,
    eventType: row.type,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
  };
}
