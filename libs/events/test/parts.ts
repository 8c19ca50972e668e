import { randomUUID } from 'node:crypto';
import { inTransaction, openPool } from '@kontoport/database';
import { createLogger, type Loop } from '@kontoport/lifecycle';
import { testDatabase } from '@kontoport/testing/postgres';
import type pg from 'pg';
import {
  addToOutbox,
  type Consumers,
  type ConsumersOptions,
  createProducer,
  openKafka,
  OUTBOX_HEADERS,
  OUTBOX_TABLE,
  type OutboxEvent,
  outboxRelay,
  startConsumers,
  type Topic,
  type TopicConsumer,
} from '../src/index.ts';

export const logger = createLogger({ service: 'test', level: 'silent' });

/** A topic of its own and its dead letters, so that tests on one broker do not meet. */
export function newTopic(): { topic: Topic; deadLetters: Topic } {
  const name = `test.${randomUUID()}`;
  const topic = {
    name,
    partitions: 4,
    key: 'a number',
    description: 'A test.',
    source: 'urn:kontoport:test',
  };
  return { topic, deadLetters: { ...topic, name: `${name}.dlq`, partitions: 1 } };
}

/** A relay that runs. */
export function startRelay(options: Parameters<typeof outboxRelay>[0]): Loop {
  const relay = outboxRelay(options);
  relay.start();
  return relay;
}

/** A database that holds nothing but an outbox. */
export async function openOutbox(): Promise<{ pool: pg.Pool; close(): Promise<void> }> {
  const database = await testDatabase();
  const pool = openPool({ url: database.url, applicationName: 'outbox' });
  await pool.query(OUTBOX_TABLE + OUTBOX_HEADERS);
  return {
    pool,
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

/** The events of the tests: the position of the event among those of its key. */
export interface Numbered {
  key: string;
  position: number;
}

export function numbered(topic: Topic, key: string, position: number): OutboxEvent {
  return {
    topic,
    key,
    eventId: randomUUID(),
    type: 'Test.CreatedV1',
    time: '2026-11-20T10:00:00.123Z',
    value: { key, position },
  };
}

/** Writes `count` events for each key, several at a time, each transaction with a few of them. */
export async function writeEvents(options: {
  pool: pg.Pool;
  topic: Topic;
  keys: readonly string[];
  count: number;
}): Promise<void> {
  const { pool, topic, keys, count } = options;
  await Promise.all(
    keys.map(async (key) => {
      for (let position = 0; position < count; position += 5)
        await inTransaction(pool, (tx) =>
          addToOutbox(tx, ...[0, 1, 2, 3, 4].map((step) => numbered(topic, key, position + step))),
        );
    }),
  );
}

export async function pendingRows(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM outbox');
  return rows[0]!.count;
}

/** A member of a group, by default one of its own, that stores the events of each topic. */
export function collectTopics(
  brokers: readonly string[],
  topics: readonly ({ topic: string } & Partial<TopicConsumer<Numbered>>)[],
  overrides: Partial<ConsumersOptions> = {},
): { received: Map<string, Map<string, number[]>>; consumer: Consumers; close(): Promise<void> } {
  const received = new Map(topics.map(({ topic }) => [topic, new Map<string, number[]>()]));
  const kafka = openKafka({ brokers, clientId: 'test', logger });
  const deadLetters = createProducer({ kafka });
  const consumer = startConsumers({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: topics.map((given): TopicConsumer<Numbered> => ({
      parse: ({ value }) => JSON.parse(value!.toString()) as Numbered,
      handleBatch: async (events) => {
        const positions = received.get(given.topic)!;
        for (const { value } of events)
          positions.set(value.key, [...(positions.get(value.key) ?? []), value.position]);
      },
      ...given,
    })),
    deadLetters,
    logger,
    sessionTimeoutMs: 6_000,
    ...overrides,
  });
  return {
    received,
    consumer,
    async close() {
      await consumer.close();
      await deadLetters.close();
    },
  };
}

/** The same for one topic. */
export function collect(
  brokers: readonly string[],
  topic: Topic,
  { parse, handleBatch, ...overrides }: Partial<ConsumersOptions & TopicConsumer<Numbered>> = {},
): { positions: Map<string, number[]>; consumer: Consumers; close(): Promise<void> } {
  const one = {
    topic: topic.name,
    ...(parse === undefined ? {} : { parse }),
    ...(handleBatch === undefined ? {} : { handleBatch }),
  };
  const { received, ...rest } = collectTopics(brokers, [one], overrides);
  return { positions: received.get(topic.name)!, ...rest };
}

/** 0, 1, 2 … count - 1. */
export function upTo(count: number): number[] {
  return [...Array(count).keys()];
}

/** The positions in the order of their first arrival. */
export function firstArrivals(positions: readonly number[] | undefined): number[] {
  return [...new Set(positions)];
}
