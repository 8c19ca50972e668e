export { AUDIT_ACTIONS, type Audited, AUDITED_SERVICES, auditEvent } from './audit.ts';
export { aclArguments, DEAD_LETTER_GROUP, KAFKA_ACCESS } from './access.ts';
export {
  type Consumers,
  type ConsumersOptions,
  type ReceivedEvent,
  startConsumers,
  traceIdsOf,
  type TopicConsumer,
} from './consumer.ts';
export {
  type DeadLetter,
  deadLetterOf,
  type LetterPlace,
  receiptOf,
  replayedBy,
  replayOf,
} from './dead-letter.ts';
export { type KafkaAccess, kafkaAccess, kafkaConfig } from './kafka-config.ts';
export type { Access, Kafka, OffsetRange } from './kafka.ts';
export { openKafka } from './open-kafka.ts';
export {
  addToOutbox,
  OUTBOX_HEADERS,
  OUTBOX_TABLE,
  type OutboxEvent,
  outboxInsert,
  outboxValues,
  recordOf,
} from './outbox.ts';
export {
  EVENT_TYPES,
  type EventMessages,
  type EventOf,
  type EventType,
  outboxEvent,
  readEvent,
  topicOf,
} from './event-types.ts';
export { createProducer, type Producer } from './producer.ts';
export type { IncomingRecord, OutgoingRecord } from './record.ts';
export { outboxRelay, type Relay } from './relay.ts';
export { deadLetterTopic, ensureTopics, type Topic, topics } from './topics.ts';
