import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import {
  createProducer,
  openKafka,
  readEvent,
  type ReceivedEvent,
  startConsumers,
  type Topic,
  type TopicConsumer,
  topics,
} from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import type { ConsentRevoked, Posting } from '@kontoport/proto/events/v1';

/** Reads both topics from their beginning, in its own consumer group. */
export async function readTopic(brokers: readonly string[]) {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers, clientId: 'test', logger });
  const deadLetters = createProducer({ kafka });
  const events: ReceivedEvent<Posting>[] = [];
  const revoked: ReceivedEvent<ConsentRevoked>[] = [];
  const consumerOf = <Message>(topic: Topic, into: ReceivedEvent<Message>[]): TopicConsumer<Message> => ({
    topic: topic.name,
    parse: (record) => readEvent(topic)(record).message as Message,
    handleBatch: async (batch) => void into.push(...batch),
  });
  const consumer = startConsumers({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: [consumerOf(topics.postings, events), consumerOf(topics.consents, revoked)],
    deadLetters,
    logger,
    sessionTimeoutMs: 3_000,
  });
  return {
    /** Events of revoked consents that have arrived. */
    revoked: revoked as readonly ReceivedEvent<ConsentRevoked>[],
    /** All postings that have arrived; those of an account in their order. */
    events: events as readonly ReceivedEvent<Posting>[],
    /** Waits for the event of a transaction. */
    find: (transactionId: string) =>
      until(() => events.find(({ value }) => value.ledgerPostingId === transactionId), {
        what: 'the event of the posting',
      }),
    async close() {
      await consumer.close();
      await deadLetters.close();
    },
  };
}

export type TopicReader = Awaited<ReturnType<typeof readTopic>>;
