import type { Tx } from '@kontoport/database';
import type { EventToRecord } from './webhook-event.model.ts';

/** A lane that has something new to send. */
export interface LaneWithDeliveries {
  subscriptionId: string;
  clientId: string;
  deliveries: number;
}

/** Event time and creation time come from clocks of two machines. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Stores events and makes one delivery per matching subscription: of a client of the audience, for the event's type,
 * active, and older than the event. An event that is known already makes nothing; a paused subscription gets none (§6).
 *
 * One statement, hence one transaction, for a whole poll of Kafka: a statement per event took the larger part of the
 * time. The body is put together here, because only here the subscription is known; ids are of a form that needs no
 * escaping in JSON (a constraint of the table).
 * @returns the lanes that got deliveries, and how many
 */
export async function recordEvents(tx: Tx, events: readonly EventToRecord[]): Promise<LaneWithDeliveries[]> {
  const pairs = events.flatMap(({ id, audience }) => audience.map((clientId) => ({ id, clientId })));
  const { rows } = await tx.query<{ subscription_id: string; client_id: string; deliveries: number }>({
    name: 'record-events',
    text: `
      WITH fresh AS (
        INSERT INTO event (id, type, time, traceparent)
        SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[])
        ON CONFLICT (id) DO NOTHING
        RETURNING id, type, time
      ), made AS (
        INSERT INTO delivery (subscription_id, event_id, body)
        SELECT s.internal_id, e.id, convert_to('{"subscriptionId":"' || s.id || '",' || substr(c.content, 2), 'UTF8')
        FROM fresh e
        JOIN unnest($1::uuid[], $5::text[]) AS c (event_id, content) ON c.event_id = e.id
        JOIN unnest($6::uuid[], $7::uuid[]) AS a (event_id, client_id) ON a.event_id = e.id
        CROSS JOIN LATERAL (
          SELECT internal_id, id FROM subscription
          WHERE client_id = a.client_id
            AND status = 'ACTIVE'
            AND e.type = ANY (event_types)
            AND created_at <= e.time + $8 * interval '1 millisecond'
          OFFSET 0
        ) AS s
        ON CONFLICT (event_id, subscription_id) DO NOTHING
        RETURNING subscription_id
      )
      SELECT subscription_id, count(*)::int AS deliveries,
        (SELECT client_id FROM subscription WHERE internal_id = subscription_id)
      FROM made GROUP BY subscription_id`,
    values: [
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ time }) => time),
      events.map(({ traceparent }) => traceparent ?? null),
      events.map(({ content }) => content),
      pairs.map(({ id }) => id),
      pairs.map(({ clientId }) => clientId),
      CLOCK_TOLERANCE_MS,
    ],
  });
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    clientId: row.client_id,
    deliveries: row.deliveries,
  }));
}
