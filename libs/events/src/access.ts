import { AUDITED_SERVICES } from './audit.ts';
import type { Access } from './kafka.ts';
import { topics } from './topics.ts';

/** Who reads the audit log; its principal in Kafka is `User:auditor`. */
const AUDITOR = 'auditor';

/** In which dead letters are read by whoever looks after them. */
export const DEAD_LETTER_GROUP = 'dead-letters';

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
  {
    service: 'operator',
    resource: 'group',
    name: DEAD_LETTER_GROUP,
    operation: 'Read',
    why: '`kontoport dead-letters` reads as the only member of this group',
  },
  ...[
    [topics.postingsDeadLetters, topics.postings],
    [topics.consentsDeadLetters, topics.consents],
    [topics.transfersDeadLetters, topics.transfers],
  ].flatMap(([letters, origin]): Access[] => [
    {
      service: 'operator',
      resource: 'topic',
      name: letters!.name,
      operation: 'Read',
      why: 'dead letters are listed',
    },
    {
      service: 'operator',
      resource: 'topic',
      name: letters!.name,
      operation: 'Write',
      why: 'a letter that was replayed has a receipt beside it',
    },
    {
      service: 'operator',
      resource: 'topic',
      name: origin!.name,
      operation: 'Write',
      why: 'letters are replayed to where they came from',
    },
  ]),
  ...AUDITED_SERVICES.map((service): Access => ({
    service,
    resource: 'topic',
    name: topics.audit.name,
    operation: 'Write',
    why: 'the outbox relay publishes what an auditor asks about; nobody may delete or change it',
  })),
  {
    service: AUDITOR,
    resource: 'topic',
    name: topics.audit.name,
    operation: 'Read',
    why: 'the audit log is read by auditors alone',
  },
  {
    service: AUDITOR,
    resource: 'group',
    name: AUDITOR,
    operation: 'Read',
    why: 'auditors read as the group of this name and keep their offsets there',
  },
];

/** The arguments by which Apache Kafka's own `kafka-acls` gives the access. */
export function aclArguments({ service, resource, name, operation }: Access): readonly string[] {
  return ['--add', '--allow-principal', `User:${service}`, '--operation', operation, `--${resource}`, name];
}
