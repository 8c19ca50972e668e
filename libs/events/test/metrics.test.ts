import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import { startOpsServer } from '@kontoport/lifecycle';
import { readMetrics } from '@kontoport/testing/metrics';
import type pg from 'pg';
import { addToOutbox, createProducer, openKafka, type Producer } from '../src/index.ts';
import { collect, logger, newTopic, numbered, openOutbox, startRelay } from './parts.ts';

const { topic, deadLetters } = newTopic();
let broker: Broker;
let outbox: { pool: pg.Pool; close(): Promise<void> };
let ops: Awaited<ReturnType<typeof startOpsServer>>;

beforeAll(async () => {
  broker = await startEmbeddedKafka([topic, deadLetters]);
  outbox = await openOutbox();
  ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
});
afterAll(async () => {
  await ops.close();
  await outbox.close();
  await broker.stop();
});

const oldestAge = async (): Promise<number> =>
  (await readMetrics(ops.port)).sum('kontoport_outbox_oldest_age_seconds');

describe('the metrics of events', () => {
  it('have the age of the oldest waiting event, and 0 without one', async () => {
    const { pool } = outbox;
    let isAway = true;
    const producer: Producer = {
      send: async () => {
        if (isAway) throw new Error('the broker is away');
      },
      close: async () => {},
    };
    await pool.query(
      `INSERT INTO outbox (slot, topic, key, value, headers, created_at) VALUES
       (3, $1, 'a', '{}', '{}', now() - interval '1 hour'), (3, $1, 'a', '{}', '{}', now()),
       (9, $1, 'b', '{}', '{}', now() - interval '1 minute')`,
      [topic.name],
    );
    const relay = startRelay({ pool, producer, logger });
    await until(async () => (await oldestAge()) >= 3_600, { what: 'the age of the oldest' });
    const age = await oldestAge();
    expect(age).toBeLessThan(3_600 + 600);
    await until(async () => (await oldestAge()) > age, { what: 'more age' });
    isAway = false;
    await until(async () => (await oldestAge()) === 0, { what: 'an empty outbox' });
    await relay.close();
  });

  it('count sent, stored, dead and failed records by topic', async () => {
    const { pool } = outbox;
    const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
    const producer = createProducer({ kafka });
    const before = await readMetrics(ops.port);
    const sentBefore = before.sum('messaging_client_sent_messages_total');
    await addToOutbox(pool, ...[0, 1, 2].map((position) => numbered(topic, 'a', position)));
    await producer.send([{ topic: topic.name, key: 'a', value: 'no JSON', headers: {} }]);
    const relay = startRelay({ pool, producer, logger });
    let failures = 0;
    const stored: number[] = [];
    const received = collect(broker.brokers, topic, {
      handleBatch: async (events) => {
        if (failures++ === 0) throw new Error('the database is away');
        stored.push(...events.map(({ value }) => (value as { position: number }).position));
      },
    });
    const labels = { messaging_system: 'kafka', messaging_destination_name: topic.name };
    const consumed = async (): Promise<number> =>
      (await readMetrics(ops.port)).sum('messaging_client_consumed_messages_total', labels);
    await until(async () => (await consumed()) === 4, { what: 'all records' });
    await received.close();
    await relay.close();
    await producer.close();
    const metrics = await readMetrics(ops.port);
    expect(stored.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    expect(metrics.sum('messaging_client_sent_messages_total', labels) - sentBefore).toBe(3);
    expect(metrics.sum('kontoport_dead_letters_total', labels)).toBe(1);
    const tries = (outcome: string): number =>
      metrics.sum('messaging_process_duration_seconds_count', { ...labels, outcome });
    expect(tries('failed')).toBe(1);
    expect(tries('stored')).toBeGreaterThanOrEqual(1);
    expect(metrics.sum('kontoport_consumer_delay_seconds_count', labels)).toBe(4);
    // The one that was tried in vain waited for the first pause.
    expect(metrics.sum('kontoport_consumer_delay_seconds_sum', labels)).toBeGreaterThan(0.05);
  });

  it('have the membership of a consumer, which it can lose while it stays ready', async () => {
    const late = newTopic().topic;
    const own = await startEmbeddedKafka([]);
    const received = collect(own.brokers, late, { groupId: 'losing' });
    const member = async (): Promise<number | undefined> =>
      (await readMetrics(ops.port)).families
        .get('kontoport_consumer_group_member')
        ?.series.find(({ labels }) => labels.messaging_consumer_group_name === 'losing')?.value;
    expect(await member()).toBe(0);
    await openKafka({ brokers: own.brokers, clientId: 'test', logger }).createTopics([late]);
    await until(async () => (await member()) === 1, { what: 'a member' });
    await own.stop();
    await until(async () => (await member()) === 0, { what: 'no member any more' });
    expect(received.consumer.groupReady()).toBeUndefined();
    await received.close();
    expect(await member()).toBeUndefined();
  });
});
