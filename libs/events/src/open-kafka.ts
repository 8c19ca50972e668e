import type { Logger } from '@kontoport/lifecycle';
import type { KafkaAccess } from './kafka-config.ts';
import type { Kafka } from './kafka.ts';

/**
 * The Kafka client of a process; nothing is connected yet, and its library is loaded with the first call: most
 * services send nothing when they start (ADR-0040).
 * @param options.brokers, options.tls, options.sasl how to reach it: `kafkaAccess`
 * @param options.clientId the service
 */
export function openKafka(options: KafkaAccess & { clientId: string; logger: Logger }): Kafka {
  let loaded: Promise<Kafka> | undefined;
  const load = (): Promise<Kafka> =>
    (loaded ??= import('./kafkajs/kafkajs-client.ts').then(
      ({ kafkajsClient }) => kafkajsClient(options),
      (error: unknown) => {
        // A load that failed, for want of files for example, is tried again.
        loaded = undefined;
        throw error;
      },
    ));
  return {
    connectProducer: async (producer) => (await load()).connectProducer(producer),
    joinGroup: async (membership) => (await load()).joinGroup(membership),
    readToEnd: async (reading) => (await load()).readToEnd(reading),
    offsetsOf: async (reading) => (await load()).offsetsOf(reading),
    listTopics: async () => (await load()).listTopics(),
    createTopics: async (topics) => (await load()).createTopics(topics),
    allow: async (access) => (await load()).allow(access),
    countBrokers: async () => (await load()).countBrokers(),
  };
}
