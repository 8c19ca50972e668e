import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import { activeSpanContext, endSpanAfter, tracer } from '@kontoport/telemetry';
import { type RecordedSpan, recordSpans } from '@kontoport/testing/recorded-spans';
import type pg from 'pg';
import { addToOutbox, createProducer, openKafka } from '../src/index.ts';
import { collect, logger, newTopic, numbered, openOutbox, startRelay } from './parts.ts';

const { topic } = newTopic();
let spans: ReturnType<typeof recordSpans>;
let broker: Broker;
let outbox: { pool: pg.Pool; close(): Promise<void> };

beforeAll(async () => {
  spans = recordSpans();
  broker = await startEmbeddedKafka([topic]);
  outbox = await openOutbox();
});

afterAll(async () => {
  await outbox.close();
  await broker.stop();
  spans.close();
});

describe('tracing', () => {
  it('links the send and the batch of events to the spans in which they were created', async () => {
    const { pool } = outbox;
    const requests = await Promise.all(
      ['a', 'b'].map((key) =>
        tracer.startActiveSpan('request', (span) =>
          endSpanAfter(span, async () => {
            await addToOutbox(pool, numbered(topic, key, 0));
            return activeSpanContext()!;
          }),
        ),
      ),
    );
    const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
    const producer = createProducer({ kafka });
    const relay = startRelay({ pool, producer, logger });
    const received = collect(broker.brokers, topic);
    await until(() => received.positions.size === 2, { what: 'both events' });
    await received.close();
    await relay.close();
    await producer.close();

    const recorded = spans.take();
    const named = (name: string): RecordedSpan[] => recorded.filter((span) => span.name === name);
    const created = named(`create ${topic.name}`);
    expect(created.map(({ kind, traceId, parentSpanId }) => ({ kind, traceId, parentSpanId }))).toEqual(
      requests.map(({ traceId, spanId }) => ({ kind: 'PRODUCER', traceId, parentSpanId: spanId })),
    );
    const ids = (of: readonly Pick<RecordedSpan, 'traceId' | 'spanId'>[]): Set<string> =>
      new Set(of.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
    for (const [name, kind] of [
      ['send outbox', 'CLIENT'],
      [`process ${topic.name}`, 'CONSUMER'],
    ] as const) {
      const taken = named(name);
      expect(new Set(taken.map((span) => `${span.kind} ${span.parentSpanId}`))).toEqual(
        new Set([`${kind} undefined`]),
      );
      expect(ids(taken.flatMap(({ links }) => links))).toEqual(ids(created));
    }
    expect(new Set(recorded.map(({ name }) => name))).toEqual(
      new Set(['request', `create ${topic.name}`, 'send outbox', `process ${topic.name}`]),
    );
  });
});
