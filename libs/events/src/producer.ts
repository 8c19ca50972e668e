import type { ConnectedProducer, Kafka } from './kafka.ts';
import type { OutgoingRecord } from './record.ts';

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
 * A producer that connects with its first record: acks all, one request in flight, idempotent, so that a retry inside
 * one `send` is not written twice.
 */
export function createProducer({ kafka }: { kafka: Kafka }): Producer {
  let current: Promise<ConnectedProducer> | undefined;

  /**
   * After a failure nobody knows whether the broker counted the records. The next send may carry others under the
   * same sequence numbers, which the broker would take for a repetition and drop: so it gets a new producer id.
   */
  const discard = async (failed: Promise<ConnectedProducer>): Promise<void> => {
    if (current === failed) current = undefined;
    await failed.then((producer) => producer.disconnect()).catch(() => {});
  };

  return {
    async send(records) {
      if (records.length === 0) return;
      const using = (current ??= kafka.connectProducer());
      try {
        await (await using).send(records);
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
