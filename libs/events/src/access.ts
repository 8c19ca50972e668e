import { topics } from './topics.ts';

/** What one principal may do with one topic or group; everything else is denied. */
export interface Access {
  /** The service; its principal in Kafka is `User:<service>`. */
  service: string;
  resource: 'topic' | 'group';
  name: string;
  /** Reading and writing imply describing. Who may write to any topic may do so idempotently (Kafka 3.0 and later). */
  operation: 'Read' | 'Write';
  why: string;
}

/** Everything that the services need of Kafka: what a broker must enforce. */
export const KAFKA_ACCESS: readonly Access[] = [
  {
    service: 'account-information',
    resource: 'topic',
    name: topics.postings.name,
    operation: 'Write',
    why: 'the outbox relay publishes postings',
  },
  {
    service: 'account-information',
    resource: 'topic',
    name: topics.consents.name,
    operation: 'Write',
    why: 'the outbox relay publishes consents that were taken back',
  },
  {
    service: 'payments',
    resource: 'topic',
    name: topics.transfers.name,
    operation: 'Write',
    why: 'the outbox publishes payments and the changes of their status',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'topic',
    name: topics.postings.name,
    operation: 'Read',
    why: 'postings become deliveries',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'topic',
    name: topics.consents.name,
    operation: 'Read',
    why: 'consents that were taken back become deliveries',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'topic',
    name: topics.transfers.name,
    operation: 'Read',
    why: 'payments and the changes of their status become deliveries',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'group',
    name: 'webhook-dispatcher',
    operation: 'Read',
    why: 'the consumer joins the group of its name and keeps its offsets there',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'topic',
    name: topics.postingsDeadLetters.name,
    operation: 'Write',
    why: 'records that cannot be read are set aside',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'topic',
    name: topics.consentsDeadLetters.name,
    operation: 'Write',
    why: 'records that cannot be read are set aside',
  },
  {
    service: 'webhook-dispatcher',
    resource: 'topic',
    name: topics.transfersDeadLetters.name,
    operation: 'Write',
    why: 'records that cannot be read are set aside',
  },
];

/** The arguments by which Apache Kafka's own `kafka-acls` gives the access. */
export function aclArguments({ service, resource, name, operation }: Access): readonly string[] {
  return ['--add', '--allow-principal', `User:${service}`, '--operation', operation, `--${resource}`, name];
}
