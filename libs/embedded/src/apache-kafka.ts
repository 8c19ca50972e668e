import { ensureTopics, type Topic } from '@kontoport/events';
import { inContainers, startKafkaContainer } from './containers.ts';
import type { Broker } from './embedded-kafka.ts';
import { missingForKafka } from './kafka-jars.ts';
import { type KafkaPlan, type KafkaServer, setupClient, startKafkaServer } from './kafka-server.ts';

/** Whether a real Apache Kafka can be used here: `KAFKA_BROKERS`, a container, or Java with the jars or with Maven to get them. */
export function apacheKafkaAvailable(): boolean {
  return Boolean(process.env.KAFKA_BROKERS) || inContainers() || ownBrokerAvailable();
}

/** Whether a broker of our own can be started here: Java with the jars or with Maven to get them. */
export function ownBrokerAvailable(): boolean {
  return missingForKafka() === undefined;
}

/** The broker of `KAFKA_BROKERS`, else, in tests that use containers, one in a container, else one of our own; the topics exist afterwards. */
export async function startApacheKafka(topics: readonly Topic[]): Promise<Broker> {
  if (!process.env.KAFKA_BROKERS)
    return inContainers() ? startKafkaContainer(topics) : startKillableKafka(topics);
  const brokers = process.env.KAFKA_BROKERS.split(',');
  await ensureTopics(setupClient({ brokers }), topics);
  return { brokers, stop: async () => {} };
}

/**
 * Starts a single-node Apache Kafka without TLS on the loopback address; it ends with this process.
 * @param plan deviations from the usual settings of tests
 */
export async function startKillableKafka(
  topics: readonly Topic[],
  plan: Pick<KafkaPlan, 'java'> = {},
): Promise<KafkaServer> {
  const server = await startKafkaServer({
    plan: ({ broker }) => ({ settings: {}, access: { brokers: [`127.0.0.1:${broker}`] }, ...plan }),
  });
  await ensureTopics(setupClient(server.access), topics);
  return server;
}
