import { type OutboxEvent, type OutgoingRecord, type Producer, recordOf } from '@kontoport/events';
import { type Logger, Loop } from '@kontoport/lifecycle';

const POLL_MS = 100;
const RETRY_MS = { first: 200, longest: 5_000 };
const BATCH_RECORDS = 500;
const DRAIN_LIMIT_MS = 5_000;

/**
 * The outbox of the sandbox (§6): events wait in memory for the broker, in the order in which they were added, and are lost with the
 * payments. During an outage of the broker no request waits: beyond `limit` events the organization with the most loses its oldest,
 * so none displaces those of another (ADR-0029).
 */
export class MemoryOutbox {
  readonly #limit: number;
  /** The events by their sequence number, in order. */
  readonly #waiting = new Map<number, { record: OutgoingRecord; organization: string }>();
  /** The sequences of each organization, in their order. */
  readonly #sequences = new Map<string, Set<number>>();
  #next = 0;
  #dropped = 0;

  constructor({ limit }: { limit: number }) {
    this.#limit = limit;
  }

  /** Number of waiting events. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Adds events of an organization, with the context of the active span. */
  add(organization: string, events: readonly OutboxEvent[]): void {
    for (const event of events) {
      const sequence = this.#next++;
      this.#waiting.set(sequence, { record: recordOf(event), organization });
      const sequences = this.#sequences.get(organization) ?? new Set();
      this.#sequences.set(organization, sequences.add(sequence));
      if (this.#waiting.size > this.#limit) this.#dropOldestOfMost();
    }
  }

  /** Sends the next events, and removes those that the broker has; refused ones stay. @returns how many it has */
  async publish(producer: Pick<Producer, 'send'>): Promise<number> {
    const sequences: number[] = [];
    const records: OutgoingRecord[] = [];
    for (const [sequence, { record }] of this.#waiting) {
      if (sequences.push(sequence) > BATCH_RECORDS) break;
      records.push(record);
    }
    if (records.length > 0) await producer.send(records);
    for (const sequence of sequences.slice(0, records.length)) this.#remove(sequence);
    return records.length;
  }

  /** Returns the number of events dropped since the last call. */
  resetDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #dropOldestOfMost(): void {
    let most = new Set<number>();
    for (const sequences of this.#sequences.values()) if (sequences.size > most.size) most = sequences;
    const [oldest] = most;
    this.#remove(oldest!);
    this.#dropped += 1;
  }

  /** An event that was dropped during the send is not in the map. */
  #remove(sequence: number): void {
    const waiting = this.#waiting.get(sequence);
    if (waiting === undefined) return;
    this.#waiting.delete(sequence);
    const sequences = this.#sequences.get(waiting.organization)!;
    sequences.delete(sequence);
    if (sequences.size === 0) this.#sequences.delete(waiting.organization);
  }
}

/**
 * Publishes the events of the outbox. While the broker is unavailable it retries, with growing pauses up to 5 s. Closing publishes
 * the rest, as far as the broker answers, for at most 5 s.
 */
export function memoryRelay(options: { outbox: MemoryOutbox; producer: Producer; logger: Logger }): Loop {
  const { outbox, producer, logger } = options;
  return new Loop({
    name: 'transfer events',
    everyMs: POLL_MS,
    retryMs: RETRY_MS,
    logger,
    async work() {
      const lost = outbox.resetDropped();
      if (lost > 0) logger.warn({ lost }, 'events lost while Kafka was unreachable');
      return (await outbox.publish(producer)) > 0 ? 0 : POLL_MS;
    },
    async finish() {
      const until = performance.now() + DRAIN_LIMIT_MS;
      while (performance.now() < until && (await outbox.publish(producer)) > 0);
    },
  });
}
