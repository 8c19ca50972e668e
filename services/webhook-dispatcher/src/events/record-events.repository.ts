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
 * The days of the events must be there (`History`).
 *
 * One statement, hence one transaction, for a whole poll of Kafka: a statement per event took the larger part of the
 * time.
 * @returns the lanes that got deliveries, and how many
 */
export async function recordEvents(tx: Tx, events: readonly EventToRecord[]): Promise<LaneWithDeliveries[]> {
  const { rows } = await tx.query<{ subscription_id: string; client_id: string; deliveries: number }>({
    name: 'record-events',
    text: `
      WITH fresh AS (
        INSERT INTO event (id, type, time, traceparent, content, audience)
        SELECT id, type, time, traceparent, content, audience::uuid[]
        FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[])
          AS given (id, type, time, traceparent, content, audience)
        ON CONFLICT (id, time) DO NOTHING
        RETURNING id, type, time, audience
      ), made AS (
        INSERT INTO delivery (subscription_id, event_id, event_time)
        SELECT s.internal_id, e.id, e.time
        FROM fresh e
        CROSS JOIN LATERAL unnest(e.audience) AS a (client_id)
        CROSS JOIN LATERAL (
          SELECT internal_id FROM subscription
          WHERE client_id = a.client_id
            AND status = 'ACTIVE'
            AND e.type = ANY (event_types)
            AND created_at <= e.time + $7 * interval '1 millisecond'
          OFFSET 0
        ) AS s
        ON CONFLICT (subscription_id, event_time, event_id) DO NOTHING
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
      events.map(({ audience }) => `{${audience.join()}}`),
      CLOCK_TOLERANCE_MS,
    ],
  });
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    clientId: row.client_id,
    deliveries: row.deliveries,
  }));
}
