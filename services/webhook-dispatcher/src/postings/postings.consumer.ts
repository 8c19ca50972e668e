import type { ClientDirectory } from '@kontoport/client-directory';
import { parsePosting, parseTraceparent, type TopicConsumer, topics } from '@kontoport/events';
import type { Logger } from '@kontoport/runtime';
import type pg from 'pg';
import { postingCreated } from './posting-created.wire.ts';
import { type EventToRecord, recordEvents } from './record-events.repository.ts';

/** Turns postings into deliveries; it never sends one itself. */
export function postingsConsumer(deps: {
  pool: pg.Pool;
  directory: Pick<ClientDirectory, 'find'>;
  dispatcher: { wake(): void };
  logger: Logger;
}): TopicConsumer<EventToRecord> {
  const { pool, directory, dispatcher, logger } = deps;
  return {
    topic: topics.postings.name,

    parse: (record) => ({
      ...postingCreated(parsePosting(record)),
      traceparent: parseTraceparent(record.headers.traceparent) && record.headers.traceparent,
    }),

    /** Rejects while the directory is silent: a deleted client must not learn of anything any more. */
    async handleBatch(received) {
      const events = received
        .map(({ value }) => ({
          ...value,
          audience: value.audience.filter((clientId) => !directory.find(clientId)?.deleted),
        }))
        .filter(({ audience }) => audience.length > 0);
      if (events.length === 0) return;
      const started = performance.now();
      const deliveries = await recordEvents(pool, events);
      if (deliveries > 0) dispatcher.wake();
      const milliseconds = Math.round(performance.now() - started);
      logger.info({ events: events.length, deliveries, milliseconds }, 'events recorded');
    },
  };
}
