export {
  type Consumers,
  type ConsumersOptions,
  type ReceivedEvent,
  startConsumers,
  type TopicConsumer,
} from './consumer.ts';
export type { Kafka } from './kafka.ts';
export { openKafka } from './kafkajs/open-kafka.ts';
export { addToOutbox, OUTBOX_TABLE, type OutboxEvent } from './outbox.ts';
export { parsePosting, POSTING_CREATED, postingEvent } from './posting-event.ts';
export { createProducer, type Producer } from './producer.ts';
export type { IncomingRecord, OutgoingRecord } from './record.ts';
export { outboxRelay, type Relay } from './relay.ts';
export { deadLetterTopic, ensureTopics, type Topic, topics } from './topics.ts';
export { activeTraceparent, parseTraceparent } from './traceparent.ts';
