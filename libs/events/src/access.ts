import { AUDITED_SERVICES } from './audit.ts';
import type { Access } from './kafka.ts';
import { type Topic, topics } from './topics.ts';

/** The reader of the audit log; its principal in Kafka is `User:auditor`. */
const AUDITOR = 'auditor';

/** The consumer group in which an operator reads dead letters. */
export const DEAD_LETTER_GROUP = 'dead-letters';

type Operation = Access['operation'];

const onTopic = (service: string, operation: Operation, { name }: Topic, why: string): Access => ({
  service,
  resource: 'topic',
  name,
  operation,
  why,
});

const inGroup = (service: string, name: string, why: string): Access => ({
  service,
  resource: 'group',
  name,
  operation: 'Read',
  why,
});

const WITH_DEAD_LETTERS: readonly (readonly [origin: Topic, letters: Topic])[] = [
  [topics.postings, topics.postingsDeadLetters],
  [topics.consents, topics.consentsDeadLetters],
  [topics.transfers, topics.transfersDeadLetters],
];

/** The access that the services need in Kafka: what a broker must enforce. */
export const KAFKA_ACCESS: readonly Access[] = [
  onTopic('account-information', 'Write', topics.postings, 'the outbox relay publishes postings'),
  onTopic('account-information', 'Write', topics.consents, 'the outbox relay publishes revoked consents'),
  onTopic(
    'payments',
    'Write',
    topics.transfers,
    'the outbox relay publishes payments and the changes of their status',
  ),
  onTopic('webhook-dispatcher', 'Read', topics.postings, 'postings become deliveries'),
  onTopic('webhook-dispatcher', 'Read', topics.consents, 'revoked consents become deliveries'),
  onTopic(
    'webhook-dispatcher',
    'Read',
    topics.transfers,
    'payments and the changes of their status become deliveries',
  ),
  inGroup(
    'webhook-dispatcher',
    'webhook-dispatcher',
    'the consumer joins the group of its name and stores its offsets there',
  ),
  ...WITH_DEAD_LETTERS.map(([, letters]) =>
    onTopic('webhook-dispatcher', 'Write', letters, 'unparsable records become dead letters'),
  ),
  inGroup('operator', DEAD_LETTER_GROUP, '`kontoport dead-letters` reads as the only member of this group'),
  ...WITH_DEAD_LETTERS.flatMap(([origin, letters]) => [
    onTopic('operator', 'Read', letters, 'dead letters are listed'),
    onTopic('operator', 'Write', letters, 'each replayed letter gets a receipt beside it'),
    onTopic('operator', 'Write', origin, 'letters are replayed to their origin'),
  ]),
  ...AUDITED_SERVICES.map((service) =>
    onTopic(
      service,
      'Write',
      topics.audit,
      'the outbox relay publishes audit records; nobody may delete or change them',
    ),
  ),
  onTopic(AUDITOR, 'Read', topics.audit, 'only auditors read the audit log'),
  inGroup(AUDITOR, AUDITOR, 'auditors read as the group of this name and store their offsets there'),
];

/** The arguments with which `kafka-acls` of Apache Kafka grants the access. */
export function aclArguments({ service, resource, name, operation }: Access): readonly string[] {
  return ['--add', '--allow-principal', `User:${service}`, '--operation', operation, `--${resource}`, name];
}
