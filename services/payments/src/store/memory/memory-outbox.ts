import { type OutboxEvent, type OutgoingRecord, type Producer, recordOf } from '@kontoport/events';
import { type Logger, Loop } from '@kontoport/lifecycle';

const POLL_MS = 100;
const RETRY_MS = { first: 200, longest: 5_000 };
const BATCH_RECORDS = 500;
const DRAIN_LIMIT_MS = 5_000;

/**
 * The sandbox's outbox (§6): events wait in memory until the broker has them, in the order in which they were added, and
 * are lost with the state that they tell of. However long the broker is away, nobody waits for it: beyond `limit` events the
 * organization that has the most of them loses its oldest, so none drives out those of another (ADR-0029).
 */
export class MemoryOutbox {
  readonly #limit: number;
  /** By the number of their turn, in its order. */
  readonly #waiting = new Map<number, { record: OutgoingRecord; organization: string }>();
  /** The turns of each organization, in their order. */
  readonly #turns = new Map<string, Set<number>>();
  #turn = 0;
  #dropped = 0;

  constructor({ limit }: { limit: number }) {
    this.#limit = limit;
  }

  /** Events that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Takes events of an organization; the active span is the one that they are told in. */
  add(organization: string, events: readonly OutboxEvent[]): void {
    for (const event of events) {
      const turn = this.#turn++;
      this.#waiting.set(turn, { record: recordOf(event), organization });
      const turns = this.#turns.get(organization) ?? new Set();
      this.#turns.set(organization, turns.add(turn));
      if (this.#waiting.size > this.#limit) this.#dropOldestOfMost();
    }
  }

  /** Sends the next events, and forgets them when the broker has them; what it refuses stays. @returns how many it has */
  async publish(producer: Pick<Producer, 'send'>): Promise<number> {
    const turns: number[] = [];
    const records: OutgoingRecord[] = [];
    for (const [turn, { record }] of this.#waiting) {
      if (turns.push(turn) > BATCH_RECORDS) break;
      records.push(record);
    }
    if (records.length > 0) await producer.send(records);
    for (const turn of turns.slice(0, records.length)) this.#remove(turn);
    return records.length;
  }

  /** How many were lost since this was asked for last. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #dropOldestOfMost(): void {
    let most = new Set<number>();
    for (const turns of this.#turns.values()) if (turns.size > most.size) most = turns;
    const [oldest] = most;
    this.#remove(oldest!);
    this.#dropped += 1;
  }

  /** What was dropped while it was sent is gone already. */
  #remove(turn: number): void {
    const waiting = this.#waiting.get(turn);
    if (waiting === undefined) return;
    this.#waiting.delete(turn);
    const turns = this.#turns.get(waiting.organization)!;
    turns.delete(turn);
    if (turns.size === 0) this.#turns.delete(waiting.organization);
  }
}

/**
 * Publishes what the outbox has. A broker that is away is tried again, with growing pauses up to 5 s; closing publishes what
 * is still there, as far as the broker answers, for at most 5 s.
 */
export function memoryRelay(options: { outbox: MemoryOutbox; producer: Producer; logger: Logger }): Loop {
  const { outbox, producer, logger } = options;
  return new Loop({
    name: 'transfer events',
    everyMs: POLL_MS,
    retryMs: RETRY_MS,
    logger,
    async work() {
      const lost = outbox.takeDropped();
      if (lost > 0) logger.warn({ lost }, 'events lost while the broker was away');
      return (await outbox.publish(producer)) > 0 ? 0 : POLL_MS;
    },
    async finish() {
      const until = performance.now() + DRAIN_LIMIT_MS;
      while (performance.now() < until && (await outbox.publish(producer)) > 0);
    },
  });
}
