import type { ConnectedProducer, Kafka } from './kafka.ts';
import type { OutgoingRecord } from './record.ts';

/** Publishes records. */
export interface Producer {
  /**
   * Publishes the records, those of one key in the given order; resolves when all replicas have them.
   * A rejection says that some may be missing and some may be there: send all of them again.
   * @param options.hasty gives up at once where a topic does not take them, and disturbs no other `send` of this producer
   */
  send(records: readonly OutgoingRecord[], options?: { hasty: boolean }): Promise<void>;
  close(): Promise<void>;
}

/**
 * A producer that connects with its first record: acks all, one request in flight, idempotent, so that a retry inside
 * one `send` is not written twice.
 */
export function createProducer({ kafka }: { kafka: Kafka }): Producer {
  const patient = connection(() => kafka.connectProducer({ hasty: false }));
  const hasty = connection(() => kafka.connectProducer({ hasty: true }));
  return {
    send: (records, options) => (options?.hasty === true ? hasty : patient).send(records),
    async close() {
      await Promise.all([patient.close(), hasty.close()]);
    },
  };
}

function connection(connect: () => Promise<ConnectedProducer>) {
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
    async send(records: readonly OutgoingRecord[]): Promise<void> {
      if (records.length === 0) return;
      const using = (current ??= connect());
      try {
        await (await using).send(records);
      } catch (error) {
        await discard(using);
        throw error;
      }
    },
    async close(): Promise<void> {
      if (current !== undefined) await discard(current);
    },
  };
}
