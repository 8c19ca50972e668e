import type { IncomingRecord, OutgoingRecord } from './record.ts';

/**
 * What Kontoport needs of a Kafka client. The folder `kafkajs` implements it; the delivery and crash suites of this library decide
 * whether an implementation is good enough.
 */
export interface Kafka {
  /**
   * Connects a producer: acks of all replicas, one request in flight, topics are never made by it.
   * @param options.failFast gives up after the second try instead of after some seconds
   */
  connectProducer(options: { failFast: boolean }): Promise<ConnectedProducer>;
  /**
   * Joins a consumer group until `membership.closing` is aborted, and leaves it when the batches in hand have ended.
   * @throws the error that ends the membership before that; the caller joins again
   */
  joinGroup(membership: Membership): Promise<void>;
  /** Reads whole topics, and commits nothing. */
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

/** What one principal may do with one topic or group; everything else is denied. */
export interface Access {
  /** The service, `operator`, who looks after dead letters, or `auditor`; its principal in Kafka is `User:<service>`. */
  service: string;
  resource: 'topic' | 'group';
  name: string;
  /** Reading and writing imply describing. Who may write to any topic may do so idempotently (Kafka 3.0 and later). */
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
   * offsets are committed soon; false: given up, the records come again. It takes as long as it needs, and holds back nothing but
   * its own topic, neither heartbeats nor the other topics. A topic is taken from in turns, one after the other.
   * @param batches one for each partition; never empty
   * @param mayGoOn turns false when the partitions are no longer ours to work on: we are closing, or the group has moved on
   */
  take(batches: readonly RecordBatch[], mayGoOn: () => boolean): Promise<boolean>;
  /** Called when the member has joined the group, and when it is no longer of it. */
  onMembership(joined: boolean): void;
  closing: AbortSignal;
}

/** Records of one partition in their order; never empty. */
export interface RecordBatch {
  topic: string;
  partition: number;
  records: readonly IncomingRecord[];
  /** What is committed for it, and where it began. */
  range: OffsetRange;
}

/** Offsets of a partition, from the first to the one before `to`. */
export interface OffsetRange {
  topic: string;
  partition: number;
  from: bigint;
  to: bigint;
}

/** How far a group has got in a partition. */
export interface PartitionOffsets {
  topic: string;
  partition: number;
  /** Where the group goes on; undefined while it has committed nothing. */
  committed: bigint | undefined;
  /** The first record that the topic still has, or will have. */
  logStart: bigint;
}

/** Topics that are read from the first record that is kept to the one that is the last when the reading begins. */
export interface TopicReading {
  /** Whose only member the reader is meanwhile; it rejects where somebody else is one. */
  groupId: string;
  topics: readonly string[];
  /** Takes the next records of one partition, each once; the reading waits for it, and ends when it rejects. */
  take(records: readonly IncomingRecord[]): Promise<void>;
}
