import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import {
  createProducer,
  type EventOf,
  openKafka,
  readEvent,
  type ReceivedEvent,
  startConsumers,
  topics,
} from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';

type Transfer = EventOf<'Transfer.CreatedV1' | 'Transfer.StatusChangedV1'>;

const logger = createLogger({ service: 'test', level: 'silent' });

/** Reads the topic from its beginning, in a group of its own. */
export function readTransfers(brokers: readonly string[]) {
  const kafka = openKafka({ brokers, clientId: 'test', logger });
  const deadLetters = createProducer({ kafka });
  const arrived: ReceivedEvent<Transfer>[] = [];
  const read = readEvent(topics.transfers);
  const consumers = startConsumers({
    kafka,
    groupId: `test-${randomUUID()}`,
    topics: [
      {
        topic: topics.transfers.name,
        parse: (record) => read(record) as Transfer,
        handleBatch: async (batch) => void arrived.push(...(batch as readonly ReceivedEvent<Transfer>[])),
      },
    ],
    deadLetters,
    logger,
  });
  return {
    /** Waits for the given number of events of a draft. */
    ofDraft: (draftId: string, count: number) =>
      until(
        () => {
          const found = arrived.filter(({ value }) => value.message.draftId === draftId);
          return found.length >= count && found;
        },
        { what: `${count} events of the draft` },
      ),
    async close() {
      await consumers.close();
      await deadLetters.close();
    },
  };
}
