import type { Kafka } from './kafka.ts';

/** A topic: what producers, consumers, the local stack and the AsyncAPI file must agree on. */
export interface Topic {
  name: string;
  partitions: number;
  /** The meaning of a record's key; records of one key keep their order. */
  key: string;
  description: string;
  /** CloudEvents source: the context that publishes here. */
  source: string;
}

/** The dead letter topic of another topic. */
const deadLetters = (of: string, key: string): Topic => ({
  name: deadLetterTopic(of),
  partitions: 1,
  key,
  description: `Records of ${of} that a consumer could not parse, with the reason and their origin.`,
  source: 'urn:kontoport:webhook-dispatcher',
});

/** Every topic of Kontoport; described for readers outside in `proto/asyncapi.yaml`. */
export const topics = {
  postings: {
    name: 'kontoport.postings.v1',
    partitions: 12,
    key: 'account id',
    description: 'One record per transaction posted on an account.',
    source: 'urn:kontoport:account-information',
  },
  postingsDeadLetters: deadLetters('kontoport.postings.v1', 'account id'),
  consents: {
    name: 'kontoport.consents.v1',
    partitions: 6,
    key: 'client id',
    description: 'One record per consent that its user revoked.',
    source: 'urn:kontoport:account-information',
  },
  consentsDeadLetters: deadLetters('kontoport.consents.v1', 'client id'),
  transfers: {
    name: 'kontoport.transfers.v1',
    partitions: 12,
    key: 'account id',
    description: 'One record per created payment, and one per change of its status.',
    source: 'urn:kontoport:payments',
  },
  transfersDeadLetters: deadLetters('kontoport.transfers.v1', 'account id'),
  audit: {
    name: 'kontoport.audit.v1',
    partitions: 6,
    key: 'object id',
    description: 'One record per audited action: who did what to what.',
    // Each record names its own source.
    source: 'urn:kontoport',
  },
} as const satisfies Record<string, Topic>;

/** Name of the topic that takes the unparsable records of `topic`. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/**
 * Creates the topics that the broker does not have. For development and tests: in production the platform team creates topics, with
 * its own replication and retention.
 * @returns the names of the new topics
 */
export async function ensureTopics(kafka: Kafka, wanted: readonly Topic[]): Promise<string[]> {
  const existing = new Set(await kafka.listTopics());
  const missing = wanted.filter(({ name }) => !existing.has(name));
  if (missing.length > 0) await kafka.createTopics(missing);
  return missing.map(({ name }) => name);
}
