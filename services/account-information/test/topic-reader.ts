import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import {
  createProducer,
  openKafka,
  readEvent,
  type ReceivedEvent,
  startConsumers,
  type TopicConsumer,
  topics,
} from '@kontoport/events';
import type { Posting } from '@kontoport/proto/events/v1';
import { createLogger } from '@kontoport/runtime';

/** Reads the postings topic from its beginning, in a group of its own. */
export async function readTopic(brokers: readonly string[]) {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers, clientId: 'test', logger });
  const deadLetters = createProducer({ kafka });
  const events: ReceivedEvent<Posting>[] = [];
  const postings: TopicConsumer<Posting> = {
    topic: topics.postings.name,
    parse: (record) => readEvent(topics.postings)(record).message,
    handleBatch: async (batch) => void events.push(...batch),
  };
  const consumer = startConsumers({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: [postings],
    deadLetters,
    logger,
    sessionTimeoutMs: 3_000,
  });
  return {
    /** All that arrived so far; those of an account in their order. */
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
