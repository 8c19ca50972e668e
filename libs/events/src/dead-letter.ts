import type { OutgoingRecord } from './producer.ts';
import type { IncomingRecord } from './record.ts';
import { deadLetterTopic } from './topics.ts';

/** Key and value as they were, with the reason and the origin in headers: what a person needs to repair and resend. */
export function deadLetterRecord({
  record,
  reason,
}: {
  record: IncomingRecord;
  reason: string;
}): OutgoingRecord {
  const { topic, partition, offset, timestamp, key, value, headers } = record;
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    topic: deadLetterTopic(topic),
    key,
    value,
    headers: {
      ...Object.fromEntries(kept),
      dlq_error: reason,
      dlq_topic: topic,
      dlq_partition: String(partition),
      dlq_offset: offset,
      dlq_timestamp: new Date(timestamp).toISOString(),
    },
  };
}
