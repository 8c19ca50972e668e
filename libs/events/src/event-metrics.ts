import { counter, durationHistogram, observableGauge } from '@kontoport/telemetry';
import type { IncomingRecord } from './record.ts';

const KAFKA = { 'messaging.system': 'kafka' } as const;

const sent = counter({
  name: 'messaging.client.sent.messages',
  help: 'Events that the outbox relay has published to Kafka, by topic.',
});
const consumed = counter({
  name: 'messaging.client.consumed.messages',
  help: 'Records that were stored or became dead letters, by topic.',
});
const deadLetters = counter({
  name: 'kontoport.dead_letters',
  help: 'Records that could not be parsed and were written to the dead letter topic, by topic.',
});
const processing = durationHistogram({
  name: 'messaging.process.duration',
  help: 'Duration of the processing of a batch of records, by topic and outcome.',
});
const delays = durationHistogram({
  name: 'kontoport.consumer.delay',
  help: 'Time from the arrival of a record at the broker until it was stored, by topic.',
});

/** The membership of a consumer in its group. */
export interface GroupMembership {
  readonly groupId: string;
  isMember: boolean;
}

/** The memberships of this process. */
const memberships = new Set<GroupMembership>();

observableGauge(
  {
    name: 'kontoport.consumer.group_member',
    help: '1 while the process is a member of its consumer group, otherwise 0.',
  },
  (observe) => {
    for (const { groupId, isMember } of memberships)
      observe(isMember ? 1 : 0, { ...KAFKA, 'messaging.consumer.group.name': groupId });
  },
);

/** Reports the membership of a consumer in the metrics. @returns ends the report */
export function reportMembership(membership: GroupMembership): () => void {
  memberships.add(membership);
  return () => void memberships.delete(membership);
}

/** Counts events of a topic that the broker has stored. */
export function sentMessages(topic: string, count: number): void {
  sent.add(count, { ...KAFKA, 'messaging.destination.name': topic });
}

/**
 * Records an attempt to store a batch.
 * @param started when it began, in milliseconds of the monotonic clock
 * @param batch.records those that were stored; none after a failed attempt
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
  if (rejected > 0) deadLetters.add(rejected, labels);
  const now = Date.now();
  // The broker's clock may be ahead of ours.
  for (const { timestamp } of records) delays.record(Math.max(0, now - timestamp), labels);
}
