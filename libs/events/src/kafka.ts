import type { IncomingRecord, OutgoingRecord } from './record.ts';

/**
 * The Kafka client of Kontoport. The folder `kafkajs` implements it; an implementation must pass the delivery and crash suites of
 * this library.
 */
export interface Kafka {
  /**
   * Connects a producer: acks of all replicas, one request in flight. It never creates topics.
   * @param options.failFast gives up after the second try instead of after some seconds
   */
  connectProducer(options: { failFast: boolean }): Promise<ConnectedProducer>;
  /**
   * Joins a consumer group until `membership.closing` is aborted, and leaves it once the batches in flight have ended.
   * @throws the error that ends the membership before that; the caller joins again
   */
  joinGroup(membership: Membership): Promise<void>;
  /** Reads whole topics without a commit. */
  readToEnd(reading: TopicReading): Promise<void>;
  /** Returns the committed offset of a group and the first offset of each partition. Rejects if a topic is unknown. */
  offsetsOf(reading: { groupId: string; topics: readonly string[] }): Promise<PartitionOffsets[]>;
  /** Returns the names of all topics. */
  listTopics(): Promise<string[]>;
  /** Creates topics with the broker's own replication; resolves when they can be written to. */
  createTopics(topics: readonly { name: string; partitions: number }[]): Promise<void>;
  /** Adds access rules to those that exist. */
  allow(access: readonly Access[]): Promise<void>;
  /** Counts the brokers of the cluster. Rejects at once if none answers. */
  countBrokers(): Promise<number>;
}

/** The access of one principal to one topic or group; everything else is denied. */
export interface Access {
  /** The service, `operator`, who handles dead letters, or `auditor`; its principal in Kafka is `User:<service>`. */
  service: string;
  resource: 'topic' | 'group';
  name: string;
  /** Reading and writing imply describing. A principal that may write to any topic may do so idempotently (Kafka 3.0 and later). */
  operation: 'Read' | 'Write';
  why: string;
}

/** A producer that is connected. */
export interface ConnectedProducer {
  /** Resolves when all replicas have the records. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  disconnect(): Promise<void>;
}

/** A member of a consumer group. */
export interface Membership {
  groupId: string;
  /** All of them exist; a member reads every topic of its group. */
  topics: readonly string[];
  /** Milliseconds without a heartbeat after which the group gives the partitions to others. */
  sessionTimeoutMs: number;
  /**
   * Takes the next records of one topic, of all partitions that have some. True: stored, the partitions go on and the
   * offsets are committed soon; false: given up, the records come again. However long it takes, it holds back only its own topic,
   * neither heartbeats nor other topics. Calls for one topic do not overlap.
   * @param batches one for each partition; never empty
   * @param mayGoOn turns false on shutdown, and when the group has a new generation
   */
  take(batches: readonly RecordBatch[], mayGoOn: () => boolean): Promise<boolean>;
  /** Called when the member has joined the group, and when it has lost its membership. */
  onMembership(joined: boolean): void;
  closing: AbortSignal;
}

/** Records of one partition in their order; never empty. */
export interface RecordBatch {
  topic: string;
  partition: number;
  records: readonly IncomingRecord[];
  /** The offsets of the records. */
  range: OffsetRange;
}

/** Offsets of a partition, from the first to the one before `to`. */
export interface OffsetRange {
  topic: string;
  partition: number;
  from: bigint;
  to: bigint;
}

/** The offsets of a group in a partition. */
export interface PartitionOffsets {
  topic: string;
  partition: number;
  /** The next offset of the group; undefined before its first commit. */
  committed: bigint | undefined;
  /** The offset of the first record that the topic still has, or will have. */
  logStart: bigint;
}

/** Topics that are read from their first record to the last one at the begin. */
export interface TopicReading {
  /** The reader is its only member; it rejects if the group has another one. */
  groupId: string;
  topics: readonly string[];
  /** Handles the next records of one partition, each once. The reader waits for it, and ends when it rejects. */
  take(records: readonly IncomingRecord[]): Promise<void>;
}
