import { counter, durationHistogram, observableGauge } from '@kontoport/telemetry';
import type { IncomingRecord } from './record.ts';

const KAFKA = { 'messaging.system': 'kafka' } as const;

const sent = counter({
  name: 'messaging.client.sent.messages',
  help: 'Events that the outbox relay has given to the broker, by topic.',
});
const consumed = counter({
  name: 'messaging.client.consumed.messages',
  help: 'Records that were stored or set aside, by topic.',
});
const setAside = counter({
  name: 'kontoport.dead_letters',
  help: 'Records that could not be parsed and stand in the dead letter topic now, by topic.',
});
const processing = durationHistogram({
  name: 'messaging.process.duration',
  help: 'How long batches of records took to be stored, by topic and outcome.',
});
const delays = durationHistogram({
  name: 'kontoport.consumer.delay',
  help: 'How long after the broker had it a record was stored, by topic.',
});

/** A consumer's place in its group. */
export interface Place {
  readonly groupId: string;
  isMember: boolean;
}

/** Those of the consumers of this process. */
const places = new Set<Place>();

observableGauge(
  {
    name: 'kontoport.consumer.group_member',
    help: 'Whether the process is a member of its consumer group: 1, or 0 when it is none, or none yet.',
  },
  (observe) => {
    for (const { groupId, isMember } of places)
      observe(isMember ? 1 : 0, { ...KAFKA, 'messaging.consumer.group.name': groupId });
  },
);

/** From now on it is told whether the consumer is a member. @returns what ends that, with the consumer */
export function reportMembership(place: Place): () => void {
  places.add(place);
  return () => void places.delete(place);
}

/** The broker has `count` more events of a topic. */
export function sentMessages(topic: string, count: number): void {
  sent.add(count, { ...KAFKA, 'messaging.destination.name': topic });
}

/**
 * A try to store a batch has ended.
 * @param started when it began, in milliseconds of the monotonic clock
 * @param batch.records those that are done with; of a try that failed none
 */
export function handledBatch(
  started: number,
  batch: {
    topic: string;
    groupId: string;
    outcome: 'stored' | 'failed';
    records: readonly Pick<IncomingRecord, 'timestamp'>[];
    rejected: number;
  },
): void {
  const { topic, groupId, outcome, records, rejected } = batch;
  const labels = {
    ...KAFKA,
    'messaging.destination.name': topic,
    'messaging.consumer.group.name': groupId,
  };
  processing.since(started, { ...labels, outcome });
  if (records.length > 0) consumed.add(records.length, labels);
  if (rejected > 0) setAside.add(rejected, labels);
  const now = Date.now();
  // The broker's clock may be ahead of ours.
  for (const { timestamp } of records) delays.record(Math.max(0, now - timestamp), labels);
}
