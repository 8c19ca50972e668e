import { type Kafka, type Producer as KafkaProducer, Partitioners } from 'kafkajs';

/** A record on its way to a topic. */
export interface OutgoingRecord {
  topic: string;
  key: string | Buffer | null;
  value: string | Buffer | null;
  headers: Record<string, string | Buffer>;
}

/** Publishes records. */
export interface Producer {
  /**
   * Publishes the records, those of one key in the given order; resolves when all replicas have them.
   * A rejection says that some may be missing and some may be there: send all of them again.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A producer that connects with its first record: acks all, one request in flight.
 * @param options.idempotent a retry inside one `send` is not written twice; off only for the embedded broker, which
 *   does not know idempotence
 */
export function createProducer(options: { kafka: Kafka; idempotent: boolean }): Producer {
  let current: Promise<KafkaProducer> | undefined;

  const connect = async (): Promise<KafkaProducer> => {
    const producer = options.kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      idempotent: options.idempotent,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 5 },
    });
    await producer.connect();
    return producer;
  };

  /**
   * After a failure nobody knows whether the broker counted the records. The next send may carry others under the
   * same sequence numbers, which the broker would take for a repetition and drop: so it gets a new producer id.
   */
  const discard = async (failed: Promise<KafkaProducer>): Promise<void> => {
    if (current === failed) current = undefined;
    await failed.then((producer) => producer.disconnect()).catch(() => {});
  };

  return {
    async send(records) {
      if (records.length === 0) return;
      const using = (current ??= connect());
      try {
        const producer = await using;
        await producer.sendBatch({
          acks: -1,
          topicMessages: [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, messages]) => ({
            topic,
            messages: messages.map(({ key, value, headers }) => ({ key, value, headers })),
          })),
        });
      } catch (error) {
        await discard(using);
        throw error;
      }
    },
    async close() {
      if (current !== undefined) await discard(current);
    },
  };
}
