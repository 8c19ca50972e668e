import { channel } from 'node:diagnostics_channel';
import type { SqlWriter } from '@kontoport/database';
import { parseTraceparent, traceparentOf, tracer } from '@kontoport/telemetry';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  trace,
} from '@opentelemetry/api';
import type { OutgoingRecord } from './record.ts';
import type { Topic } from './topics.ts';

/**
 * The outbox table; the migration of a service that publishes contains this text. A row is deleted once the broker has it, so the
 * table is small and changes fast.
 */
export const OUTBOX_TABLE = `CREATE TABLE outbox (
  slot smallint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  topic text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  headers jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (slot, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
`;

/** A later migration of the same service: json keeps headers as they are written, and no statement reads inside them. */
export const OUTBOX_HEADERS = `ALTER TABLE outbox ALTER COLUMN headers TYPE json;
`;

/** The number of slots. A key belongs to one slot, and one relay at a time publishes a slot. */
export const SLOTS = 16;

/** First halves of two-part advisory locks, different from all others of the database. */
export const LOCK = { slot: 0x6f757473, key: 0x6f75746b };

const published = channel('kontoport.event');

const VALUE_LIMIT_BYTES = 256 * 1024;

/** An event to publish. */
export interface OutboxEvent {
  topic: Topic;
  /** Events of one key are published in the order in which their transactions commit. */
  key: string;
  /** UUID, by which consumers recognise repetitions. */
  eventId: string;
  /** CloudEvents type, such as `Posting.CreatedV1`. */
  type: string;
  /** The time of the event: ISO 8601 UTC. */
  time: string;
  /** The JSON mapping of the topic's message. */
  value: unknown;
  /** CloudEvents source; default: the topic's. */
  source?: string;
  /** W3C trace context of its creation; default: the active span. */
  traceparent?: string;
}

/**
 * Writes events into the outbox in the caller's transaction: they are published if and only if it commits.
 * Transactions with events of one key wait for each other, so that the order of ids is the order of commits.
 * @throws Error when a value is over 256 KiB of JSON
 */
export async function addToOutbox(tx: SqlWriter, ...events: readonly OutboxEvent[]): Promise<void> {
  await tx.query({
    name: 'outbox-add',
    text: `WITH ${outboxSteps(1, 'true')} SELECT`,
    values: outboxValues(events),
  });
}

/**
 * `addToOutbox` as steps of a statement of the caller, after the steps that `condition` reads.
 * @param first number of its first parameter; `outboxValues` gives the four values
 * @param condition SQL: whether the events are written
 */
export function outboxSteps(first: number, condition: string): string {
  // All locks are taken in one order, before the first id is generated.
  return `event AS MATERIALIZED (
            SELECT * FROM ${outboxRows(first)} WHERE ${condition}
          ), locked AS MATERIALIZED (
            SELECT pg_advisory_xact_lock(${LOCK.key}, hash)
            FROM (SELECT DISTINCT hashtext(key) AS hash FROM event ORDER BY hash) AS keys
          ), added AS (
            ${INSERT}
            FROM event WHERE (SELECT count(*) FROM locked) > 0
            ORDER BY position
          )`;
}

const INSERT = `INSERT INTO outbox (slot, topic, key, value, headers)
           SELECT hashtext(key) & ${SLOTS - 1}, topic, key, value, headers::json`;

function outboxRows(first: number): string {
  const lists = [0, 1, 2, 3].map((at) => `$${first + at}::text[]`).join(', ');
  return `unnest(${lists}) WITH ORDINALITY AS event (topic, key, value, headers, position)`;
}

/**
 * `addToOutbox` as the end of a statement of the caller, without the locks: for transactions that all hold another lock for each
 * key.
 * @param first number of its first parameter; `outboxValues` gives the four values
 */
export function outboxInsert(first: number): string {
  return `${INSERT}
FROM ${outboxRows(first)} ORDER BY position`;
}

/** The parameters of `outboxInsert` and `outboxSteps`. @throws Error when a value is over 256 KiB of JSON */
export function outboxValues(events: readonly OutboxEvent[]): string[][] {
  const records = events.map(recordOf);
  return [
    records.map(({ topic }) => topic),
    records.map(({ key }) => key),
    records.map(({ value }) => value),
    records.map(({ headers }) => JSON.stringify(headers)),
  ];
}

/**
 * Makes the record of an event. Without a trace context of its own it gets that of the active span.
 * @throws Error when its value is over 256 KiB of JSON
 */
export function recordOf(event: OutboxEvent): OutgoingRecord & { key: string; value: string } {
  const value = JSON.stringify(event.value);
  // A UTF-16 unit has at most three bytes, so short values need no measuring.
  if (3 * value.length > VALUE_LIMIT_BYTES && Buffer.byteLength(value) > VALUE_LIMIT_BYTES)
    throw new Error(`an event is larger than ${VALUE_LIMIT_BYTES} bytes`);
  const record = { topic: event.topic.name, key: event.key, value, headers: headersOf(event) };
  // Only tests subscribe.
  if (published.hasSubscribers) published.publish(record);
  return record;
}

/** Writes CloudEvents 1.0 in Kafka's binary mode, and the trace context. */
function headersOf(event: OutboxEvent): Record<string, string> {
  const creation = recordCreation(event);
  return {
    ce_specversion: '1.0',
    ce_id: event.eventId,
    ce_type: event.type,
    ce_source: event.source ?? event.topic.source,
    ce_time: event.time,
    'content-type': 'application/json',
    ...(isSpanContextValid(creation) && { traceparent: traceparentOf(creation) }),
  };
}

/** Creates the span of an event's creation, to which its consumers link. @returns its context; without the SDK that of its cause */
function recordCreation({ topic, traceparent }: OutboxEvent): SpanContext {
  const cause = parseTraceparent(traceparent);
  const parent = cause === undefined ? context.active() : trace.setSpanContext(ROOT_CONTEXT, cause);
  const span = tracer.startSpan(
    `create ${topic.name}`,
    {
      kind: SpanKind.PRODUCER,
      attributes: {
        'messaging.system': 'kafka',
        'messaging.operation.name': 'create',
        'messaging.operation.type': 'create',
        'messaging.destination.name': topic.name,
      },
    },
    parent,
  );
  span.end();
  return span.spanContext();
}
