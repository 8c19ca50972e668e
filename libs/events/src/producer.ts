import type { ConnectedProducer, Kafka } from './kafka.ts';
import type { OutgoingRecord } from './record.ts';
import { CLOSE_LIMIT_MS, withTimeout } from './timeouts.ts';

/**
 * So many bytes of records go to a broker in one request: it takes 1 MiB of a partition at once, unless it is told otherwise.
 */
export const REQUEST_BYTES = 600_000;
/** What a record takes beside its bytes, at most. */
const OVERHEAD_BYTES = 64;

/** Publishes records. */
export interface Producer {
  /**
   * Publishes the records, those of one key in the given order; resolves when all replicas have them.
   * A rejection says that some may be missing and some may be there: send all of them again.
   * @param options.failFast gives up at once where a topic does not take them, and disturbs no other `send` of this producer
   */
  send(records: readonly OutgoingRecord[], options?: { failFast: boolean }): Promise<void>;
  close(): Promise<void>;
}

/**
 * A producer that connects with its first record: acks all, one request in flight, idempotent, so that a retry inside
 * one `send` is not written twice.
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

/** The records in parts that are one request each, in their order; a record always is one. */
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
