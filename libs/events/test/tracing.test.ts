import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import { activeTraceparent, inServerSpan, parseTraceparent } from '@kontoport/runtime';
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
  it('links the span of a batch to the spans in which its events were made', async () => {
    const { pool } = outbox;
    const made = await Promise.all(
      ['a', 'b'].map((key) =>
        inServerSpan(undefined, async () => {
          await addToOutbox(pool, numbered(topic, key, 0));
          return parseTraceparent(activeTraceparent())!;
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

    const batches = spans.take().filter(({ name }) => name === `process ${topic.name}`);
    expect(new Set(batches.map(({ kind }) => kind))).toEqual(new Set(['CONSUMER']));
    const links = batches.flatMap((span) => span.links);
    const ids = (of: readonly Pick<RecordedSpan, 'traceId' | 'spanId'>[]): Set<string> =>
      new Set(of.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
    expect(ids(links)).toEqual(ids(made));
  });
});
