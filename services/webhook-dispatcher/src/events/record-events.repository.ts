import { listParameter as list, type Tx } from '@kontoport/database';
import type { OffsetRange } from '@kontoport/events';
import type { NewDeliveries } from '../deliveries/delivery.model.ts';
import { CLOCK_TOLERANCE_MS, type EventToRecord } from '../event-types/webhook-event.model.ts';
import { addOffsetsSql, offsetColumns } from '../intake/intake.repository.ts';
import type { DeferredClients } from './batching.model.ts';

const DEFERRING = `, deferring AS (
        INSERT INTO deferred_event (organization, event_time, event_id, client_id, deliveries)
        SELECT later.organization, e.time, e.id, later.client_id, later.deliveries
        FROM fresh e
        CROSS JOIN LATERAL unnest(e.audience) AS a (client_id)
        JOIN unnest(${list(12, 'uuid')}, ${list(13, 'text')}, ${list(14, 'int')}) AS later (client_id, organization, deliveries) USING (client_id)
      )`;

/** @param defers whether deliveries of some clients are made later */
const textOf = (defers: boolean): string => `
      WITH fresh AS (
        INSERT INTO event (id, type, time, traceparent, content, audience)
        SELECT id, type, time, traceparent, content, audience::uuid[]
        FROM unnest(${list(1, 'uuid')}, ${list(2, 'text')}, ${list(3, 'timestamptz')}, ${list(4, 'text')}, ${list(5, 'text')}, ${list(6, 'text')})
          AS given (id, type, time, traceparent, content, audience)
        ON CONFLICT (id, time) DO NOTHING
        RETURNING id, type, time, audience
      )${defers ? DEFERRING : ''}, made AS (
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
        ) AS s${defers ? `\n        WHERE a.client_id <> ALL (${list(12, 'uuid')})` : ''}
        RETURNING subscription_id, event_id, ctid AS place
      ), queue AS (
        SELECT subscription_id, string_agg(event_id::text, ' ') AS event_ids, string_agg(place::text, ' ') AS places
        FROM made GROUP BY subscription_id
      ), taking AS (
        ${addOffsetsSql(8)}
      )
      SELECT queue.*, s.client_id, s.claim_id, s.callback_url
      FROM queue CROSS JOIN LATERAL (
        SELECT client_id, claim_id, callback_url FROM subscription WHERE internal_id = queue.subscription_id OFFSET 0
      ) AS s`;

const RECORD = { name: 'record-events', text: textOf(false) };
const RECORD_AND_DEFER = { name: 'record-and-defer', text: textOf(true) };

const deferredColumns = (deferred: DeferredClients): [string[], string[], number[]] => [
  [...deferred.keys()],
  [...deferred.values()].map(({ organization }) => organization),
  [...deferred.values()].map(({ deliveries }) => deliveries),
];

/** All deliveries are made at once. */
const NOBODY: DeferredClients = new Map();

/**
 * Stores events with their offsets, and makes one delivery for each matching subscription: of a client of the audience, with the
 * event's type, active, and older than the event. An event that is stored already makes none; a paused subscription gets none (§6).
 * The partitions of the events must exist (`PartitionRetention`). An audience names each client once, so no delivery of a new event
 * can exist yet.
 * SQL: a batch of a whole poll, because a statement for each event took most of the time. It locks the table before it reads which
 * subscriptions are paused; the end of a pause relies on that (ADR-0035).
 * @param deferred clients whose deliveries are made later (ADR-0034)
 * @returns the queues that got deliveries, and the deliveries
 */
export async function recordEvents(
  tx: Tx,
  events: readonly EventToRecord[],
  taken: readonly OffsetRange[],
  deferred: DeferredClients = NOBODY,
): Promise<NewDeliveries[]> {
  const defers = deferred.size > 0;
  // Two records of one event in a poll are the same.
  const byId = new Map(events.map((event) => [event.id, event]));
  const distinct = [...byId.values()];
  const { rows } = await tx.query<{
    subscription_id: string;
    client_id: string;
    claim_id: string | null;
    callback_url: string;
    event_ids: string;
    places: string;
  }>({
    // Nearly every poll defers nothing.
    ...(defers ? RECORD_AND_DEFER : RECORD),
    values: [
      distinct.map(({ id }) => id),
      distinct.map(({ type }) => type),
      distinct.map(({ time }) => time.toISOString()),
      distinct.map(({ traceparent }) => traceparent ?? null),
      distinct.map(({ content }) => content),
      distinct.map(({ audience }) => `{${audience.join()}}`),
      CLOCK_TOLERANCE_MS,
      ...offsetColumns(taken),
      ...(defers ? deferredColumns(deferred) : []),
    ],
  });
  return rows.map(({ subscription_id: subscriptionId, event_ids: eventIds, places: all, ...queue }) => {
    const places = all.split(' ');
    return {
      subscriptionId,
      clientId: queue.client_id,
      claimId: queue.claim_id,
      callbackUrl: queue.callback_url,
      deliveries: eventIds.split(' ').map((eventId, at) => {
        const { content, traceparent = null } = byId.get(eventId)!;
        const fresh = { attempts: 0, step: 0, callbackUrl: null };
        return { subscriptionId, eventId, place: places[at]!, content, traceparent, ...fresh };
      }),
    };
  });
}

/** Counts the active subscriptions of each client, of any type; a client without any is left out. SQL: measured, for each poll of Kafka. */
export async function countSubscriptions(
  db: Pick<Tx, 'query'>,
  clientIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ client_id: string; subscriptions: number }>({
    name: 'count-subscriptions',
    text: `SELECT client_id, count(*)::int AS subscriptions FROM subscription
           WHERE client_id IN (SELECT unnest(${list(1, 'uuid')})) AND status = 'ACTIVE'
           GROUP BY client_id`,
    values: [clientIds],
  });
  return new Map(rows.map((row) => [row.client_id, row.subscriptions]));
}
