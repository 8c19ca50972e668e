import type { Logger } from '@kontoport/lifecycle';
import { Kafka as KafkaJs, type LogEntry, logLevel, Partitioners, type RetryOptions } from 'kafkajs';
import type { KafkaAccess } from '../kafka-config.ts';
import type { ConnectedProducer, Kafka, PartitionOffsets } from '../kafka.ts';
import { aclOf } from './acls.ts';
import { joinGroup } from './group.ts';
import { patchIdleTimer } from './idle-timer.ts';
import { readToEnd } from './read-to-end.ts';
import { connectionOptions } from './security.ts';

patchIdleTimer();

const CLIENT_RETRY = { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 };
const PRODUCER_RETRY = { ...CLIENT_RETRY, maxRetryTime: 1_000 };
/** The fewest that kafkajs lets an idempotent producer have. */
const HASTY_RETRY = { initialRetryTime: 50, maxRetryTime: 50, retries: 1 };

/**
 * The client of `openKafka`, made of kafkajs.
 * An error of kafkajs is mostly a retry in progress, so its lines are logged one level lower: a failure that
 * matters is logged by the relay or the consumer that it stops.
 */
export function kafkajsClient(options: KafkaAccess & { clientId: string; logger: Logger }): Kafka {
  const logger = options.logger.child({ component: 'kafkajs' });
  const settings = {
    brokers: [...options.brokers],
    ...connectionOptions(options),
    clientId: options.clientId,
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ level, namespace, log }: LogEntry) => {
        const { message, groupId, broker } = log as { message: string; groupId?: string; broker?: string };
        const error = typeof log.error === 'string' ? log.error : undefined;
        logger[level === logLevel.ERROR ? 'warn' : 'debug']({ namespace, groupId, broker, error }, message);
      },
  };
  const client = new KafkaJs({ ...settings, retry: CLIENT_RETRY });
  return {
    connectProducer: ({ failFast }) =>
      failFast
        ? connectProducer(new KafkaJs({ ...settings, retry: HASTY_RETRY }), HASTY_RETRY)
        : connectProducer(client, PRODUCER_RETRY),
    joinGroup: (membership) => joinGroup({ client, membership, logger }),
    readToEnd: (reading) => readToEnd({ client, reading }),
    offsetsOf: (reading) => asAdmin(client, (admin) => offsetsOf(admin, reading), { retries: 0 }),
    listTopics: () => asAdmin(client, (admin) => admin.listTopics()),
    createTopics: (topics) =>
      asAdmin(client, async (admin) => {
        await admin.createTopics({
          waitForLeaders: true,
          topics: topics.map(({ name, partitions }) => ({ topic: name, numPartitions: partitions })),
        });
      }),
    allow: (access) =>
      asAdmin(client, async (admin) => void (await admin.createAcls({ acl: access.map(aclOf) }))),
    countBrokers: () =>
      asAdmin(client, async (admin) => (await admin.describeCluster()).brokers.length, { retries: 0 }),
  };
}

async function connectProducer(client: KafkaJs, retry: RetryOptions): Promise<ConnectedProducer> {
  const producer = client.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry,
  });
  await producer.connect();
  return {
    async send(records) {
      await producer.sendBatch({
        acks: -1,
        topicMessages: [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, messages]) => ({
          topic,
          messages: messages.map(({ key, value, headers }) => ({ key, value, headers })),
        })),
      });
    },
    disconnect: () => producer.disconnect(),
  };
}

/** Reads the committed offsets first: records are stored before their offsets are committed, so all of these are stored by then. */
async function offsetsOf(
  admin: Admin,
  { groupId, topics }: { groupId: string; topics: readonly string[] },
): Promise<PartitionOffsets[]> {
  const committed = await admin.fetchOffsets({ groupId, topics: [...topics] });
  const found: PartitionOffsets[] = [];
  for (const { topic, partitions } of committed) {
    const starts = new Map(
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low }) => [partition, BigInt(low)]),
    );
    for (const { partition, offset } of partitions)
      found.push({
        topic,
        partition,
        // A negative offset is a code for "none" or "the beginning".
        committed: offset.startsWith('-') ? undefined : BigInt(offset),
        logStart: starts.get(partition) ?? 0n,
      });
  }
  return found;
}

type Admin = ReturnType<KafkaJs['admin']>;

async function asAdmin<T>(
  client: KafkaJs,
  work: (admin: Admin) => Promise<T>,
  retry?: { retries: number },
): Promise<T> {
  const admin = client.admin(retry === undefined ? {} : { retry });
  try {
    await admin.connect();
    return await work(admin);
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
