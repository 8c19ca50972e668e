import type { ConnectedProducer, Kafka } from './kafka.ts';
import type { OutgoingRecord } from './record.ts';
import { CLOSE_LIMIT_MS, withTimeout } from './timeouts.ts';

/** Bytes of records in one request: by default a broker accepts 1 MiB for a partition. */
export const REQUEST_BYTES = 600_000;
/** Most bytes that a record has beside its key, value and headers. */
const OVERHEAD_BYTES = 64;

/** Publishes records. */
export interface Producer {
  /**
   * Publishes the records, those of one key in the given order; resolves when all replicas have them.
   * After a rejection some may be stored: send all of them again.
   * @param options.failFast rejects at once if a topic refuses them, without effect on other calls of `send`
   */
  send(records: readonly OutgoingRecord[], options?: { failFast: boolean }): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes a producer that connects with its first record: acks of all replicas, one request in flight, idempotent, so that a retry
 * within one `send` writes nothing twice.
 */
export function createProducer({ kafka }: { kafka: Kafka }): Producer {
  const patient = connection(() => kafka.connectProducer({ failFast: false }));
  const failFast = connection(() => kafka.connectProducer({ failFast: true }));
  return {
    send: (records, options) => (options?.failFast === true ? failFast : patient).send(records),
    async close() {
      await Promise.all([patient.close(), failFast.close()]);
    },
  };
}

function connection(connect: () => Promise<ConnectedProducer>) {
  let current: Promise<ConnectedProducer> | undefined;

  /**
   * Disconnects after a failure, so that the next send has a new producer id. The broker may have counted the records, and would drop
   * others with the same sequence numbers as repetitions.
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
        const producer = await using;
        for (const part of inRequests(records)) await producer.send(part);
      } catch (error) {
        await discard(using);
        throw error;
      }
    },
    async close(): Promise<void> {
      if (current !== undefined) await withTimeout(discard(current), CLOSE_LIMIT_MS);
    },
  };
}

/** Splits records into requests, in their order. A request has at least one record. */
function* inRequests(records: readonly OutgoingRecord[]): Generator<readonly OutgoingRecord[]> {
  let [from, bytes] = [0, 0];
  for (const [at, record] of records.entries()) {
    const size = sizeOf(record);
    if (at > from && bytes + size > REQUEST_BYTES) {
      yield records.slice(from, at);
      [from, bytes] = [at, 0];
    }
    bytes += size;
  }
  yield records.slice(from);
}

function sizeOf({ key, value, headers }: OutgoingRecord): number {
  let bytes = OVERHEAD_BYTES + Buffer.byteLength(key ?? '') + Buffer.byteLength(value ?? '');
  for (const name in headers) bytes += Buffer.byteLength(name) + Buffer.byteLength(headers[name]!);
  return bytes;
}
