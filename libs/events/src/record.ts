import type { KafkaMessage } from 'kafkajs';

/** A record as it came from a topic. */
export interface IncomingRecord {
  topic: string;
  partition: number;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  /** When the broker got it, milliseconds since 1970. */
  timestamp: number;
  /** Text headers; of a repeated one the first. CloudEvents attributes are `ce_id`, `ce_type`, `ce_source`, `ce_time`. */
  headers: Record<string, string | undefined>;
}

/** A kafkajs message with its origin and readable headers. */
export function readRecord(from: {
  topic: string;
  partition: number;
  message: KafkaMessage;
}): IncomingRecord {
  const { key, value, offset, timestamp, headers = {} } = from.message;
  return {
    topic: from.topic,
    partition: from.partition,
    offset,
    key,
    value,
    timestamp: Number(timestamp),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, given]) => [
        name,
        (Array.isArray(given) ? given[0] : given)?.toString(),
      ]),
    ),
  };
}
