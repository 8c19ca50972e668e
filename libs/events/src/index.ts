export { type Consumer, type ConsumerOptions, type ReceivedEvent, startConsumer } from './consumer.ts';
export { openKafka } from './kafka.ts';
export { addToOutbox, OUTBOX_TABLE, type OutboxEvent } from './outbox.ts';
export { parsePosting, POSTING_CREATED, postingEvent } from './posting-event.ts';
export { createProducer, type OutgoingRecord, type Producer } from './producer.ts';
export type { IncomingRecord } from './record.ts';
export { type Relay, startRelay } from './relay.ts';
export { deadLetterTopic, ensureTopics, type Topic, topics } from './topics.ts';
export { activeTraceparent, parseTraceparent } from './traceparent.ts';
