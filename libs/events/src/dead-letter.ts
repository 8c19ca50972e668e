import type { IncomingRecord, OutgoingRecord } from './record.ts';
import { deadLetterTopic, topics } from './topics.ts';

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

/** Where a letter lies. */
export interface LetterPlace {
  /** Of dead letters. */
  topic: string;
  partition: number;
  offset: string;
}

/** A dead letter without what it holds. */
export interface DeadLetter {
  place: LetterPlace;
  /** When it was set aside. */
  at: Date;
  reason: string;
  /** Where the record came from, and when the broker got it. */
  origin: { topic: string; partition: number; offset: string; at: string };
  /** Bytes of key and value. */
  size: number;
}

const OWN_HEADERS = ['dlq_error', 'dlq_topic', 'dlq_partition', 'dlq_offset', 'dlq_timestamp'];
const REPLAYED = 'dlq_replayed';

/** What a record of a topic of dead letters says; nothing when it is no letter. */
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

/** The record of a letter as it was, on its way to where it came from. */
export function replayOf({ key, value, headers }: IncomingRecord, { origin }: DeadLetter): OutgoingRecord {
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OWN_HEADERS.includes(entry[0]),
  );
  return { topic: origin.topic, key, value, headers: Object.fromEntries(kept) };
}

/** What is written beside a letter once its record is back where it came from: letters cannot be taken out. */
export function receiptOf({ place: { topic, partition, offset } }: DeadLetter): OutgoingRecord {
  return { topic, key: null, value: null, headers: { [REPLAYED]: `${partition}:${offset}` } };
}

/** The place of the letter of which a record is the receipt; nothing when it is none. */
export function replayedBy({ topic, value, headers }: IncomingRecord): LetterPlace | undefined {
  const [, partition, offset] = /^(\d{1,9}):(\d{1,19})$/.exec(headers[REPLAYED] ?? '') ?? [];
  // A letter keeps all headers of its record, whatever they say.
  if (offset === undefined || value !== null || headers.dlq_error !== undefined) return undefined;
  return { topic, partition: Number(partition), offset };
}
