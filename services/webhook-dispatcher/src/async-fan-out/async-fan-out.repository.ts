import type { Tx } from '@kontoport/database';
import type { QueueToClaim } from '../deliveries/delivery.model.ts';
import { CLOCK_TOLERANCE_MS } from '../event-types/webhook-event.model.ts';

/** Finds the organization with deferred events that comes after another, round robin. SQL: one statement. @returns undefined when nothing is deferred */
export async function nextOrganization(db: Pick<Tx, 'query'>, after: string): Promise<string | undefined> {
  const { rows } = await db.query<{ organization: string | null }>({
    name: 'next-organization',
    text: `
      SELECT coalesce(
        (SELECT organization FROM deferred_event WHERE organization > $1 ORDER BY organization LIMIT 1),
        (SELECT organization FROM deferred_event ORDER BY organization LIMIT 1)
      ) AS organization`,
    values: [after],
  });
  return rows[0]!.organization ?? undefined;
}

/** The result of a step. */
export interface FanOutStep {
  /** Events whose deliveries are made, counted once for each client. */
  events: number;
  /** The queues that got deliveries. */
  queues: QueueToClaim[];
}

/**
 * Makes the deliveries of an organization's deferred events, oldest first: those that would have been made when the event was
 * recorded, unless the subscription has since been deleted or lost the event type. A subscription that was paused then gets none,
 * because the end of a pause replays its events (§4.6). Deliveries that exist are not made again. Skips rows that another process
 * has locked.
 * SQL: a claim of a batch.
 * @param most deliveries, but for those of the last event
 */
export async function fanOutDeferred(
  db: Pick<Tx, 'query'>,
  { organization, most }: { organization: string; most: number },
): Promise<FanOutStep> {
  const { rows } = await db.query<{ events: number; subscription_id: string | null; client_id: string }>({
    name: 'make-deferred',
    text: `
      WITH next AS MATERIALIZED (
        SELECT ctid AS place, client_id, event_time, event_id, deliveries FROM deferred_event WHERE organization = $1
        ORDER BY event_time, event_id, client_id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), taken AS MATERIALIZED (
        SELECT place, client_id, event_time, event_id FROM (
          SELECT *, sum(deliveries) OVER (ORDER BY event_time, event_id, client_id) - deliveries AS made FROM next
        ) AS counted WHERE made < $2
      ), gone AS (
        DELETE FROM deferred_event WHERE ctid = ANY (ARRAY(SELECT place FROM taken))
      ), made AS (
        INSERT INTO delivery (subscription_id, event_id, event_time)
        SELECT s.internal_id, taken.event_id, taken.event_time
        FROM taken
        CROSS JOIN LATERAL (
          SELECT type, recorded_at FROM event WHERE id = taken.event_id AND time = taken.event_time OFFSET 0
        ) AS e
        CROSS JOIN LATERAL (
          SELECT internal_id FROM subscription
          WHERE client_id = taken.client_id
            AND (status = 'ACTIVE' OR (status = 'PAUSED' AND paused_at > e.recorded_at))
            AND e.type = ANY (event_types)
            AND created_at <= taken.event_time + $3 * interval '1 millisecond'
          OFFSET 0
        ) AS s
        WHERE (
          SELECT count(*) FROM delivery_log
          WHERE subscription_id = s.internal_id AND event_time = taken.event_time AND event_id = taken.event_id
        ) = 0
        ON CONFLICT (subscription_id, event_time, event_id) DO NOTHING
        RETURNING subscription_id
      ), queue AS (
        SELECT DISTINCT subscription_id FROM made
      )
      SELECT step.events, queue.subscription_id, s.client_id
      FROM (SELECT count(*)::int AS events FROM taken) AS step
      LEFT JOIN queue ON true
      LEFT JOIN LATERAL (
        SELECT client_id FROM subscription WHERE internal_id = queue.subscription_id OFFSET 0
      ) AS s ON true`,
    values: [organization, most, CLOCK_TOLERANCE_MS],
  });
  return {
    events: rows[0]!.events,
    queues: rows.flatMap(({ subscription_id: subscriptionId, client_id: clientId }) =>
      subscriptionId === null ? [] : [{ subscriptionId, clientId }],
    ),
  };
}

/** The deferred events. */
export interface FanOutBacklog {
  /** Counted once for each client, up to the given number. */
  events: number;
  /** Milliseconds since the oldest was recorded, of the first of each organization; 0 when nothing is deferred. */
  oldestMs: number;
}

/**
 * Counts the deferred events. SQL: measured; one index probe for each organization.
 * @param most events that are counted
 */
export async function measureFanOutBacklog(db: Pick<Tx, 'query'>, most: number): Promise<FanOutBacklog> {
  const { rows } = await db.query<{ events: number; age: number | null }>({
    name: 'measure-deferred',
    text: `
      WITH RECURSIVE first AS (
        (SELECT organization, event_time, event_id FROM deferred_event ORDER BY organization, event_time, event_id LIMIT 1)
        UNION ALL
        SELECT following.* FROM first CROSS JOIN LATERAL (
          SELECT organization, event_time, event_id FROM deferred_event WHERE organization > first.organization
          ORDER BY organization, event_time, event_id LIMIT 1
        ) AS following
      )
      SELECT (SELECT count(*)::int FROM (SELECT FROM deferred_event LIMIT $1) AS counted) AS events, (
        SELECT (1000 * extract(epoch FROM clock_timestamp() - min(e.recorded_at)))::float8
        FROM first CROSS JOIN LATERAL (
          SELECT recorded_at FROM event WHERE id = first.event_id AND time = first.event_time OFFSET 0
        ) AS e
      ) AS age`,
    values: [most],
  });
  return { events: rows[0]!.events, oldestMs: rows[0]!.age ?? 0 };
}
