import type { IncomingRecord, OutgoingRecord } from './record.ts';
import { deadLetterTopic, topics } from './topics.ts';

/** A record that could not be parsed, and why. */
export interface RejectedRecord {
  record: IncomingRecord;
  error: unknown;
}

const MAX_REASON_LENGTH = 500;

/** Makes a dead letter: key and value unchanged, with the reason and the origin in headers. */
export function deadLetterRecord({ record, error }: RejectedRecord): OutgoingRecord {
  const { topic, partition, offset, timestamp, key, value, headers } = record;
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    topic: deadLetterTopic(topic),
    key,
    value,
    headers: {
      ...Object.fromEntries(kept),
      // The reason may quote the value, which the letter contains anyway.
      dlq_error: (error instanceof Error ? error.message : 'unknown').slice(0, MAX_REASON_LENGTH),
      dlq_topic: topic,
      dlq_partition: String(partition),
      dlq_offset: offset,
      dlq_timestamp: new Date(timestamp).toISOString(),
    },
  };
}

/** The position of a dead letter. */
export interface LetterPlace {
  /** The dead letter topic. */
  topic: string;
  partition: number;
  offset: string;
}

/** A dead letter without its key and value. */
export interface DeadLetter {
  place: LetterPlace;
  /** When it was written. */
  at: Date;
  reason: string;
  /** The position of the original record, and when the broker got it. */
  origin: { topic: string; partition: number; offset: string; at: string };
  /** Bytes of key and value. */
  size: number;
}

const OWN_HEADERS = ['dlq_error', 'dlq_topic', 'dlq_partition', 'dlq_offset', 'dlq_timestamp'];
const REPLAYED = 'dlq_replayed';

/** Reads a record of a dead letter topic. @returns undefined when it is no letter */
export function deadLetterOf(record: IncomingRecord): DeadLetter | undefined {
  const { topic, partition, offset, timestamp, key, value, headers } = record;
  const { dlq_error: reason, dlq_topic: from, dlq_partition, dlq_offset, dlq_timestamp } = headers;
  const isKnown = Object.values(topics).some(({ name }) => name === from && deadLetterTopic(name) === topic);
  if (reason === undefined || from === undefined || !isKnown) return undefined;
  return {
    place: { topic, partition, offset },
    at: new Date(timestamp),
    reason,
    origin: {
      topic: from,
      partition: Number(dlq_partition),
      offset: dlq_offset ?? '',
      at: dlq_timestamp ?? '',
    },
    size: (key?.length ?? 0) + (value?.length ?? 0),
  };
}

/** Makes the original record again, for its topic. */
export function replayOf({ key, value, headers }: IncomingRecord, { origin }: DeadLetter): OutgoingRecord {
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OWN_HEADERS.includes(entry[0]),
  );
  return { topic: origin.topic, key, value, headers: Object.fromEntries(kept) };
}

/** Makes the receipt of a replayed letter. It marks the letter, which cannot be removed from its topic. */
export function receiptOf({ place: { topic, partition, offset } }: DeadLetter): OutgoingRecord {
  return { topic, key: null, value: null, headers: { [REPLAYED]: `${partition}:${offset}` } };
}

/** Reads a receipt. @returns the position of its letter; undefined when the record is no receipt */
export function replayedBy({ topic, value, headers }: IncomingRecord): LetterPlace | undefined {
  const [, partition, offset] = /^(\d{1,9}):(\d{1,19})$/.exec(headers[REPLAYED] ?? '') ?? [];
  // A letter keeps all headers of its record, so it may have this one, too.
  if (offset === undefined || value !== null || headers.dlq_error !== undefined) return undefined;
  return { topic, partition: Number(partition), offset };
}
