/** A record as it came from a topic. */
export interface IncomingRecord {
  topic: string;
  partition: number;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  /** The time of its arrival at the broker, milliseconds since 1970. */
  timestamp: number;
  /** Text headers; of a repeated one the first. CloudEvents attributes are `ce_id`, `ce_type`, `ce_source`, `ce_time`. */
  headers: Record<string, string | undefined>;
}

/** A record on its way to a topic. */
export interface OutgoingRecord {
  topic: string;
  key: string | Buffer | null;
  value: string | Buffer | null;
  headers: Record<string, string | Buffer>;
}
