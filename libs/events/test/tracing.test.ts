import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import { context, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type pg from 'pg';
import { addToOutbox, createProducer, openKafka } from '../src/index.ts';
import { collect, logger, newTopic, numbered, openOutbox, startRelay } from './parts.ts';

const { topic } = newTopic();
const exporter = new InMemorySpanExporter();
let broker: Broker;
let outbox: { pool: pg.Pool; close(): Promise<void> };

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  broker = await startEmbeddedKafka([topic]);
  outbox = await openOutbox();
});

afterAll(async () => {
  await outbox.close();
  await broker.stop();
  trace.disable();
  context.disable();
});

describe('tracing', () => {
  it('links the span of a batch to the spans in which its events were made', async () => {
    const { pool } = outbox;
    const tracer = trace.getTracer('test');
    const made = await Promise.all(
      ['a', 'b'].map((key) =>
        tracer.startActiveSpan(`posting ${key}`, async (span) => {
          await addToOutbox(pool, numbered(topic, key, 0));
          span.end();
          return span.spanContext();
        }),
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

    const batches = exporter.getFinishedSpans().filter(({ name }) => name === `process ${topic.name}`);
    expect(new Set(batches.map(({ kind }) => kind))).toEqual(new Set([SpanKind.CONSUMER]));
    const links = batches.flatMap((span) => span.links.map((link) => link.context));
    const ids = (spans: readonly { traceId: string; spanId: string }[]): Set<string> =>
      new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
    expect(ids(links)).toEqual(ids(made));
  });
});
