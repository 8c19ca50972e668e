import { setTimeout as pause } from 'node:timers/promises';
import { describeError, type Logger } from '@kontoport/lifecycle';
import { continueTrace, endSpanAfter, parseTraceparent, tracer } from '@kontoport/telemetry';
import { ROOT_CONTEXT, SpanKind, type SpanOptions } from '@opentelemetry/api';
import { deadLetterRecord, type RejectedRecord } from './dead-letter.ts';
import { handledBatch, reportMembership } from './event-metrics.ts';
import type { Kafka, OffsetRange, RecordBatch } from './kafka.ts';
import type { Producer } from './producer.ts';
import type { IncomingRecord } from './record.ts';
import { withCloseLimit } from './timeouts.ts';

/** The consumer of one topic in a service. */
export interface TopicConsumer<T = unknown> {
  topic: string;
  /** Turns a record into the event. If it throws, the record goes to `<topic>.dlq` with the error's message. */
  parse(record: IncomingRecord): T;
  /**
   * Stores events of the topic, those of each partition in their order, and resolves when they are safe. If it rejects, it is called
   * again with the same events, so it must recognise repetitions by the event id.
   * @param events empty if no record could be parsed
   * @param taken the offsets of all records, also of dead letters: one range for each partition
   */
  handleBatch(events: readonly ReceivedEvent<T>[], taken: readonly OffsetRange[]): Promise<void>;
}

/** A parsed record and where it came from. */
export interface ReceivedEvent<T> {
  value: T;
  record: IncomingRecord;
}

/** The consumers of a service: one member of one group reads all topics. */
export interface ConsumersOptions {
  kafka: Kafka;
  /** The name of the service; Kafka stores its offsets under it. */
  groupId: string;
  topics: readonly TopicConsumer[];
  /** Publishes the unparsable records. */
  deadLetters: Producer;
  logger: Logger;
  /** Milliseconds without a heartbeat after which the group gives the partitions to others (default 10,000). */
  sessionTimeoutMs?: number;
}

/** A member of a consumer group for as long as the process lives. */
export interface Consumers {
  /**
   * Readiness: why no records have arrived yet; undefined once the group has been joined. A rebalance or a broker outage does not
   * change it, because a service answers without records. The metric `kontoport_consumer_group_member` shows a lost membership.
   */
  groupReady(): string | undefined;
  /** Finishes the batches in flight and leaves the group. */
  close(): Promise<void>;
}

const PAUSE_MS = { first: 100, limit: 5_000 };

const growing = (attempt: number): number => Math.min(PAUSE_MS.first * 2 ** attempt, PAUSE_MS.limit);

/**
 * Starts the consumers of a service: at least once, in order per partition. Offsets are committed soon after
 * `handleBatch` has resolved, never before. Unparsable records go to the dead letter topic and the partition goes on.
 * A handler that rejects is called again with a backoff up to 5 s; it holds back only its own topic, neither other topics nor
 * heartbeats. One member reads all topics: otherwise the group would assign members partitions of topics that they do not read.
 * A membership that ends for any reason is replaced by a new one. A missing topic ends it, too, so nothing is read until the topic is
 * created, and `groupReady` reports that.
 */
export function startConsumers(options: ConsumersOptions): Consumers {
  const { kafka, groupId } = options;
  const byTopic = new Map(options.topics.map((consumer) => [consumer.topic, consumer]));
  if (byTopic.size !== options.topics.length) throw new Error(`${groupId} has two consumers of one topic`);
  const logger = options.logger.child({ component: 'consumer', groupId });
  const closing = new AbortController();
  const membership = { groupId, isMember: false };
  const stopReporting = reportMembership(membership);
  let joined = false;

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!closing.signal.aborted) {
      const started = performance.now();
      try {
        await kafka.joinGroup({
          groupId,
          topics: [...byTopic.keys()],
          sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
          take: (batches, mayGoOn) =>
            takeBatches(
              { ...options, consumer: byTopic.get(batches[0]!.topic)!, logger, closing: closing.signal },
              batches,
              mayGoOn,
            ),
          onMembership(isMember) {
            membership.isMember = isMember;
            joined ||= isMember;
          },
          closing: closing.signal,
        });
      } catch (error) {
        if (performance.now() - started > 60_000) failures = 0;
        logger.warn({ error: describeError(error), failures }, 'consumer stopped, starting another');
        await pause(growing(failures++), undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };
  const running = run();

  return {
    groupReady: () => (joined ? undefined : `not a member of the group ${groupId} yet`),
    async close() {
      closing.abort();
      await running;
      stopReporting();
    },
  };
}

interface Task {
  consumer: TopicConsumer;
  groupId: string;
  deadLetters: Producer;
  logger: Logger;
  closing: AbortSignal;
}

/** Parses records, writes dead letters, and calls the handler until it has stored the rest. @returns whether it has */
async function takeBatches(
  task: Task,
  batches: readonly RecordBatch[],
  mayGoOn: () => boolean,
): Promise<boolean> {
  const { consumer, deadLetters, logger, closing } = task;
  const { topic } = consumer;
  const records = batches.flatMap((batch) => batch.records);
  const taken = batches.map(({ range }) => range);
  const { events, rejected } = parseAll(records, consumer);
  for (let attempt = 0; mayGoOn(); attempt++) {
    const started = performance.now();
    try {
      await inSpan(task, events, async () => {
        await consumer.handleBatch(events, taken);
        await withCloseLimit(closing, () => deadLetters.send(rejected.map(deadLetterRecord)));
      });
      handledBatch(started, {
        topic,
        groupId: task.groupId,
        outcome: 'stored',
        records,
        rejected: rejected.length,
      });
      for (const { record, error } of rejected)
        continueTrace(record.headers.traceparent, () =>
          logger.error(
            { topic, partition: record.partition, offset: record.offset, error: describeError(error) },
            'record set aside in the dead letter topic',
          ),
        );
      return true;
    } catch (error) {
      handledBatch(started, { topic, groupId: task.groupId, outcome: 'failed', records: [], rejected: 0 });
      logger.warn(
        {
          error: describeError(error),
          topic,
          partitions: batches.map(({ partition }) => partition),
          records: records.length,
          traceIds: traceIdsOf(records),
          attempt,
        },
        'batch not stored, trying again',
      );
      await pause(growing(attempt), undefined, { signal: closing }).catch(() => {});
    }
  }
  return false;
}

function parseAll(
  records: readonly IncomingRecord[],
  consumer: TopicConsumer,
): { events: ReceivedEvent<unknown>[]; rejected: RejectedRecord[] } {
  const events: ReceivedEvent<unknown>[] = [];
  const rejected: RejectedRecord[] = [];
  for (const record of records) {
    try {
      events.push({ record, value: consumer.parse(record) });
    } catch (error) {
      rejected.push({ record, error });
    }
  }
  return { events, rejected };
}

const MAX_TRACES = 20;

/** The trace ids of records, for a log line: each once, at most twenty. */
export function traceIdsOf(records: readonly Pick<IncomingRecord, 'headers'>[]): string[] {
  const ids = new Set<string>();
  for (const { headers } of records) {
    const id = parseTraceparent(headers.traceparent)?.traceId;
    if (id !== undefined) ids.add(id);
    if (ids.size === MAX_TRACES) break;
  }
  return [...ids];
}

/** Runs `work` in a span of its own, linked to the spans in which its events were created. */
function inSpan(
  { consumer: { topic }, groupId }: Task,
  events: readonly ReceivedEvent<unknown>[],
  work: () => Promise<void>,
): Promise<void> {
  const options: SpanOptions = {
    kind: SpanKind.CONSUMER,
    root: true,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': topic,
      'messaging.consumer.group.name': groupId,
      'messaging.batch.message_count': events.length,
    },
    links: events.flatMap(({ record }) => {
      const creation = parseTraceparent(record.headers.traceparent);
      return creation === undefined ? [] : [{ context: creation }];
    }),
  };
  return tracer.startActiveSpan(`process ${topic}`, options, ROOT_CONTEXT, (span) =>
    endSpanAfter(span, work),
  );
}
