import { setTimeout as pause } from 'node:timers/promises';
import { type Link, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describeError, type Logger } from '@kontoport/runtime';
import type { Consumer as KafkaConsumer, EachBatchPayload, Kafka } from 'kafkajs';
import { deadLetterRecord, type RejectedRecord } from './dead-letter.ts';
import type { Producer } from './producer.ts';
import { type IncomingRecord, readRecord } from './record.ts';
import { parseTraceparent } from './traceparent.ts';

/** What a consumer does with its topic. */
export interface ConsumerOptions<T> {
  kafka: Kafka;
  groupId: string;
  topic: string;
  /** Turns a record into the event; what it throws sends the record to `<topic>.dlq`, with the error's message. */
  parse: (record: IncomingRecord) => T;
  /**
   * Takes the events of one partition in their order, and resolves when they are safely stored. While it rejects it
   * is called again with the same events, so it must know repetitions by the event id.
   */
  handleBatch: (events: readonly ReceivedEvent<T>[]) => Promise<void>;
  /** Publishes the unparsable records. */
  deadLetters: Producer;
  logger: Logger;
  /** Milliseconds without a heartbeat after which the group gives the partitions to others (default 10,000). */
  sessionTimeout?: number;
}

/** A parsed record and where it came from. */
export interface ReceivedEvent<T> {
  value: T;
  record: IncomingRecord;
}

/** A member of a consumer group for as long as the process lives. */
export interface Consumer {
  /** Readiness: the reason why no records arrive yet, or nothing once the group has been joined. */
  groupReady(): string | undefined;
  /** Finishes the batch in hand and leaves the group. */
  close(): Promise<void>;
}

const tracer = trace.getTracer('@kontoport/events');
const PAUSE_MS = { first: 100, limit: 5_000 };

const growing = (attempt: number): number => Math.min(PAUSE_MS.first * 2 ** attempt, PAUSE_MS.limit);

/**
 * Starts a consumer: at least once, in order per partition. The offset of a batch is committed after `handleBatch`
 * has resolved, never before. Unparsable records go to the dead letter topic and the partition goes on. A handler
 * that rejects is tried again with growing pauses up to 5 s, and holds back its partitions, not the heartbeats.
 * Whatever ends the kafkajs consumer, retriable or not, a new one takes its place.
 */
export function startConsumer<T>(options: ConsumerOptions<T>): Consumer {
  const { kafka, groupId, topic } = options;
  const logger = options.logger.child({ component: 'consumer', groupId, topic });
  const sessionTimeout = options.sessionTimeout ?? 10_000;
  const closing = new AbortController();
  let joined = false;

  /** Runs one kafkajs consumer until it crashes or we close. */
  const runOne = async (): Promise<void> => {
    const consumer = kafka.consumer({
      groupId,
      sessionTimeout,
      rebalanceTimeout: sessionTimeout,
      heartbeatInterval: sessionTimeout / 10,
      // Far below the session timeout: an idle member sends heartbeats only between fetches.
      maxWaitTimeInMs: 500,
      allowAutoTopicCreation: false,
      retry: {
        initialRetryTime: 100,
        maxRetryTime: 1_000,
        retries: 5,
        // kafkajs restarts some crashes and not others; here the loop below restarts all.
        restartOnFailure: async () => false,
      },
    });
    const ended = endOf(consumer, closing.signal);
    consumer.on(consumer.events.GROUP_JOIN, () => {
      joined = true;
    });
    consumer.on(consumer.events.REBALANCING, () => {
      joined = false;
    });
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) =>
          processBatch({ options, logger, closing: closing.signal, beatEvery: sessionTimeout / 10, payload }),
      });
      await ended;
    } finally {
      joined = false;
      await consumer.disconnect().catch(() => {});
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!closing.signal.aborted) {
      const started = performance.now();
      try {
        await runOne();
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
    },
  };
}

/** Resolves when we close, rejects with what crashed the consumer. */
function endOf(consumer: KafkaConsumer, closing: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    if (closing.aborted) resolve();
    closing.addEventListener('abort', () => resolve(), { once: true });
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  });
  // The crash may come before anyone waits for the end.
  ended.catch(() => {});
  return ended;
}

/** Parses, sets aside what cannot be parsed, hands over the rest until it is stored, commits. */
async function processBatch<T>(task: {
  options: ConsumerOptions<T>;
  logger: Logger;
  closing: AbortSignal;
  beatEvery: number;
  payload: EachBatchPayload;
}): Promise<void> {
  const { options, logger, payload } = task;
  const { topic, partition, messages } = payload.batch;
  const { events, rejected } = parseAll(
    messages.map((message) => readRecord({ topic, partition, message })),
    options.parse,
  );
  const stored = await withHeartbeats(task, async (mayGoOn) => {
    for (let attempt = 0; mayGoOn() && !task.closing.aborted; attempt++) {
      try {
        await inSpan(options, events, async () => {
          if (events.length > 0) await options.handleBatch(events);
          await options.deadLetters.send(rejected.map(deadLetterRecord));
        });
        return true;
      } catch (error) {
        logger.warn(
          { error: describeError(error), partition, records: messages.length, attempt },
          'batch not stored, trying again',
        );
        await pause(growing(attempt), undefined, { signal: task.closing }).catch(() => {});
      }
    }
    return false;
  });
  if (!stored) return;
  for (const { record, error } of rejected)
    logger.error(
      { partition, offset: record.offset, error: describeError(error) },
      'record set aside in the dead letter topic',
    );
  const last = payload.batch.lastOffset();
  payload.resolveOffset(last);
  await payload.commitOffsetsIfNecessary({
    topics: [{ topic, partitions: [{ partition, offset: String(BigInt(last) + 1n) }] }],
  });
}

function parseAll<T>(
  records: readonly IncomingRecord[],
  parse: (record: IncomingRecord) => T,
): { events: ReceivedEvent<T>[]; rejected: RejectedRecord[] } {
  const events: ReceivedEvent<T>[] = [];
  const rejected: RejectedRecord[] = [];
  for (const record of records) {
    try {
      events.push({ record, value: parse(record) });
    } catch (error) {
      rejected.push({ record, error });
    }
  }
  return { events, rejected };
}

/**
 * Keeps the membership alive while `work` takes its time. `mayGoOn` turns false when the partition is no longer
 * ours to work on: we are closing, or the group has moved on.
 */
async function withHeartbeats<T>(
  { payload, beatEvery }: { payload: EachBatchPayload; beatEvery: number },
  work: (mayGoOn: () => boolean) => Promise<T>,
): Promise<T> {
  let lost: { error: unknown } | undefined;
  const beat = setInterval(() => {
    payload.heartbeat().catch((error: unknown) => (lost = { error }));
  }, beatEvery);
  try {
    const result = await work(() => lost === undefined && payload.isRunning() && !payload.isStale());
    if (lost !== undefined) throw lost.error;
    return result;
  } finally {
    clearInterval(beat);
  }
}

/** One span per batch, linked to the spans in which its events were made. */
function inSpan<T>(
  { topic, groupId }: ConsumerOptions<T>,
  events: readonly ReceivedEvent<T>[],
  work: () => Promise<void>,
): Promise<void> {
  const links = events.flatMap(({ record }): Link[] => {
    const context = parseTraceparent(record.headers.traceparent);
    return context === undefined ? [] : [{ context }];
  });
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.operation.name': 'process',
    'messaging.destination.name': topic,
    'messaging.consumer.group.name': groupId,
    'messaging.batch.message_count': events.length,
  };
  return tracer.startActiveSpan(
    `process ${topic}`,
    { kind: SpanKind.CONSUMER, links, attributes },
    async (span) => {
      try {
        await work();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}
