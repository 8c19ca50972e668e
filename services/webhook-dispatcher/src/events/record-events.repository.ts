import type { Tx } from '@kontoport/database';
import type { EventToRecord } from './webhook-event.model.ts';

/** Event time and creation time come from clocks of two machines. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Stores events and makes one delivery per matching subscription: of a client of the audience, for the event's type,
 * live, and older than the event. An event that is known already makes nothing. A paused subscription gets its
 * deliveries, too; they wait.
 *
 * One statement, hence one transaction, for a whole poll of Kafka: a statement per event took the larger part of the
 * time. The body is put together here, because only here the subscription is known; ids are of a form that needs no
 * escaping in JSON (a constraint of the table).
 * @returns how many deliveries were made
 */
export async function recordEvents(tx: Tx, events: readonly EventToRecord[]): Promise<number> {
  const pairs = events.flatMap(({ id, audience }) => audience.map((clientId) => ({ id, clientId })));
  const { rowCount } = await tx.query({
    name: 'record-events',
    text: `
      WITH fresh AS (
        INSERT INTO event (id, type, time, traceparent)
        SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[])
        ON CONFLICT (id) DO NOTHING
        RETURNING id, type, time
      )
      INSERT INTO delivery (subscription_id, event_id, body)
      SELECT s.internal_id, e.id, convert_to('{"subscriptionId":"' || s.id || '",' || substr(c.content, 2), 'UTF8')
      FROM fresh e
      JOIN unnest($1::uuid[], $5::text[]) AS c (event_id, content) ON c.event_id = e.id
      JOIN unnest($6::uuid[], $7::uuid[]) AS a (event_id, client_id) ON a.event_id = e.id
      JOIN subscription s ON s.client_id = a.client_id
        AND s.status <> 'DELETED'
        AND e.type = ANY (s.event_types)
        AND s.created_at <= e.time + $8 * interval '1 millisecond'
      ON CONFLICT (event_id, subscription_id) DO NOTHING`,
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
  return rowCount ?? 0;
}
