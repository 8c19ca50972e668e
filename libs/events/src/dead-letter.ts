import type { IncomingRecord, OutgoingRecord } from './record.ts';
import { deadLetterTopic } from './topics.ts';

/** A record that could not be parsed, and why. */
export interface RejectedRecord {
  record: IncomingRecord;
  error: unknown;
}

const MAX_REASON_LENGTH = 500;

/** Key and value as they were, with the reason and the origin in headers: what a person needs to repair and resend. */
export function deadLetterRecord({ record, error }: RejectedRecord): OutgoingRecord {
  const { topic, partition, offset, timestamp, key, value, headers } = record;
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    topic: deadLetterTopic(topic),
    key,
    value,
    headers: {
      ...Object.fromEntries(kept),
      // The value stands beside it, so the reason may quote it.
      dlq_error: (error instanceof Error ? error.message : 'unknown').slice(0, MAX_REASON_LENGTH),
      dlq_topic: topic,
      dlq_partition: String(partition),
      dlq_offset: offset,
      dlq_timestamp: new Date(timestamp).toISOString(),
    },
  };
}
