import type { ClientDirectory } from '@kontoport/client-directory';
import {
  type OffsetRange,
  readEvent,
  type Topic,
  type TopicConsumer,
  topicOf,
  traceIdsOf,
} from '@kontoport/events';
import type { Logger } from '@kontoport/lifecycle';
import { parseTraceparent } from '@kontoport/telemetry';
import type { NewDeliveries } from '../deliveries/delivery.model.ts';
import {
  type EventToRecord,
  mayReceive,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '../event-types/webhook-event.model.ts';
import type { Db } from '../gen/db.ts';
import { recordOffsets } from '../intake/intake.repository.ts';
import { newSubscribers } from '../subscriptions/subscription.repository.ts';
import { clientsToDefer, type DeferredClients, mayExceedPoll, splitIntoBatches } from './batching.model.ts';
import { countSubscriptions, recordEvents } from './record-events.repository.ts';
import { webhookEvent } from './webhook-event.wire.ts';

export { WEBHOOKS } from './webhook-event.wire.ts';

/** SQLSTATE of a statement that took too long. */
const OUT_OF_TIME = '57014';

const isOutOfTime = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === OUT_OF_TIME;

interface EventDeps {
  db: { delivery: Db };
  directory: Pick<ClientDirectory, 'find'>;
  /** Gets the stored deliveries. */
  dispatcher: { offer(queues: readonly NewDeliveries[], since: number): void };
  /** Makes the deferred deliveries. */
  fanOut: { wake(): void };
  /** The days that are kept, and their partitions. */
  retention: {
    retains(time: Date, now: Date): boolean;
    ensurePartitions(times: readonly Date[]): Promise<void>;
  };
  logger: Logger;
}

/** Every topic that is read. */
export const EVENT_TOPICS: readonly Topic[] = [...new Set(WEBHOOK_EVENT_TYPES.map(topicOf))];

/** Makes deliveries of events, with one consumer for each topic. The dispatcher sends them. */
export function eventConsumers(deps: EventDeps): TopicConsumer[] {
  return EVENT_TOPICS.map((topic) => eventConsumer(topic, deps));
}

function eventConsumer(topic: Topic, deps: EventDeps): TopicConsumer<EventToRecord> {
  const { db, directory, dispatcher, retention, logger } = deps;
  const organizationOf = (clientId: string): string | undefined =>
    directory.find(clientId)?.organizationIdentifier || undefined;
  const read = readEvent<WebhookEventType>(topic);
  /** Events that one statement stores. */
  let most = Number.MAX_SAFE_INTEGER;

  /** Fewer after a timeout of the database: with many queues, a backlog is too large for one statement. */
  const record = async (
    events: readonly EventToRecord[],
    taken: readonly OffsetRange[],
    deferred: DeferredClients,
  ): Promise<number> => {
    const started = performance.now();
    try {
      const queues = await recordEvents(db.delivery, events, taken, deferred);
      dispatcher.offer(queues, started);
      return queues.reduce((sum, queue) => sum + queue.deliveries.length, 0);
    } catch (error) {
      if (isOutOfTime(error)) most = Math.max(1, Math.floor(events.length / 2));
      throw error;
    }
  };

  /** Removes clients that may not receive the event. A client that this replica does not know yet stays if it has a new subscription. */
  const withAudience = async (received: readonly EventToRecord[]): Promise<EventToRecord[]> => {
    const clientIds = new Set(received.flatMap(({ audience }) => audience));
    const unknown = [...clientIds].filter((clientId) => directory.find(clientId) === undefined);
    const subscribed = unknown.length > 0 ? await newSubscribers(db.delivery, unknown) : new Set<string>();
    return received
      .map((event) => ({
        ...event,
        audience: [...new Set(event.audience)].filter((clientId) => {
          const client = directory.find(clientId);
          return client === undefined ? subscribed.has(clientId) : mayReceive(event.type, client);
        }),
      }))
      .filter(({ audience }) => audience.length > 0);
  };

  /** Splits the events into statements, and chooses the clients whose deliveries are deferred. */
  const planBatches = async (
    events: readonly EventToRecord[],
  ): Promise<{ parts: EventToRecord[][]; deferred: DeferredClients }> => {
    const audiences = events.flatMap(({ audience }) => audience);
    const subscriptions = mayExceedPoll(audiences.length)
      ? await countSubscriptions(db.delivery, [...new Set(audiences)])
      : new Map<string, number>();
    const deferred = clientsToDefer(events, { subscriptions, organizationOf });
    return { parts: splitIntoBatches(events, { deferred, most }), deferred };
  };

  return {
    topic: topic.name,

    parse: (record) => ({
      ...webhookEvent(read(record), new Date()),
      traceparent: parseTraceparent(record.headers.traceparent) && record.headers.traceparent,
    }),

    /** Rejects while the directory does not answer, because a deleted client must receive nothing. */
    async handleBatch(received, taken) {
      const now = new Date();
      const kept = received.filter(({ value }) => retention.retains(value.time, now));
      const skipped = received.length - kept.length;
      if (skipped > 0) logger.warn({ skipped }, 'events older than the retention skipped');
      const events = await withAudience(kept.map(({ value }) => value));
      if (events.length === 0) {
        await recordOffsets(db.delivery, taken);
        return;
      }
      await retention.ensurePartitions(events.map(({ time }) => time));
      const started = performance.now();
      let deliveries = 0;
      const { parts, deferred } = await planBatches(events);
      // The last batch stores the offsets: they are processed when everything is stored.
      for (const [at, part] of parts.entries())
        deliveries += await record(part, at + 1 < parts.length ? [] : taken, deferred);
      most = Math.min(2 * most, Number.MAX_SAFE_INTEGER);
      if (deferred.size > 0) deps.fanOut.wake();
      const milliseconds = Math.round(performance.now() - started);
      const traceIds = traceIdsOf(received.map(({ record }) => record));
      const later = deferred.size > 0 ? { clientsDeferred: deferred.size } : {};
      logger.info({ events: events.length, deliveries, ...later, milliseconds, traceIds }, 'events recorded');
    },
  };
}
