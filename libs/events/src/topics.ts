import type { Kafka } from './kafka.ts';

/** A topic: what producers, consumers, the local stack and the AsyncAPI file must agree on. */
export interface Topic {
  name: string;
  partitions: number;
  /** What the key of a record is; records of one key keep their order. */
  key: string;
  description: string;
  /** CloudEvents source: the context that publishes here. */
  source: string;
}

/** Every topic of Kontoport; described for readers outside in `proto/asyncapi.yaml`. */
export const topics = {
  postings: {
    name: 'kontoport.postings.v1',
    partitions: 12,
    key: 'account id',
    description: 'One record per transaction posted on an account.',
    source: 'urn:kontoport:account-information',
  },
  postingsDeadLetters: {
    name: 'kontoport.postings.v1.dlq',
    partitions: 1,
    key: 'account id',
    description:
      'Records of kontoport.postings.v1 that a consumer could not parse, with the reason and their origin.',
    source: 'urn:kontoport:webhook-dispatcher',
  },
  consents: {
    name: 'kontoport.consents.v1',
    partitions: 6,
    key: 'client id',
    description: 'One record per consent that its user took back.',
    source: 'urn:kontoport:account-information',
  },
  consentsDeadLetters: {
    name: 'kontoport.consents.v1.dlq',
    partitions: 1,
    key: 'client id',
    description:
      'Records of kontoport.consents.v1 that a consumer could not parse, with the reason and their origin.',
    source: 'urn:kontoport:webhook-dispatcher',
  },
  transfers: {
    name: 'kontoport.transfers.v1',
    partitions: 12,
    key: 'account id',
    description: 'One record per payment that came into being, and one per change of its status.',
    source: 'urn:kontoport:payments',
  },
  transfersDeadLetters: {
    name: 'kontoport.transfers.v1.dlq',
    partitions: 1,
    key: 'account id',
    description:
      'Records of kontoport.transfers.v1 that a consumer could not parse, with the reason and their origin.',
    source: 'urn:kontoport:webhook-dispatcher',
  },
  audit: {
    name: 'kontoport.audit.v1',
    partitions: 6,
    key: 'object id',
    description: 'One record per thing done that an auditor asks about: who did what to what.',
    // Each record names the service that did it.
    source: 'urn:kontoport',
  },
} as const satisfies Record<string, Topic>;

/** Name of the topic that takes the unparsable records of `topic`. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/**
 * Makes the topics that the broker lacks. For development and tests: in production topics are made by the platform
 * team, with its own replication and retention.
 * @returns the names made now
 */
export async function ensureTopics(kafka: Kafka, wanted: readonly Topic[]): Promise<string[]> {
  const existing = new Set(await kafka.listTopics());
  const missing = wanted.filter(({ name }) => !existing.has(name));
  if (missing.length > 0) await kafka.createTopics(missing);
  return missing.map(({ name }) => name);
}
