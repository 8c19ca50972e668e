import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { Membership } from '../kafka.ts';
import type { IncomingRecord } from '../record.ts';

/** For so long kafkajs waits for a batch before it fetches the next records, of any topic. */
const PATIENCE_MS = 1_000;

interface Origin {
  topic: string;
  partition: number;
}

/** The batches of one topic, one after the other. */
interface Lane {
  last: Promise<unknown>;
  /** The latest batch took longer than kafkajs waits: the next one is not waited for at all. */
  slow: boolean;
}

/**
 * The batches that a member has in hand. kafkajs fetches nothing, of no topic, until the handler of every batch of the
 * last answer has returned; so a handler that takes its time, such as one that repeats until its database is back,
 * would stop all topics. Here it keeps only its own partitions: they are paused, kafkajs goes on with the others, and
 * they are resumed when the batch has ended.
 */
export class Hands {
  readonly #membership: Membership;
  readonly #onNotCommitted: (error: unknown, origin: Origin) => void;
  readonly #lanes = new Map<string, Lane>();
  /** Of each paused partition, what resumes it. */
  readonly #paused = new Set<() => void>();
  #holding = 0;

  constructor(options: {
    membership: Membership;
    /** Called when a batch was stored and its offset not taken: it comes again. */
    onNotCommitted: (error: unknown, origin: Origin) => void;
  }) {
    this.#membership = options.membership;
    this.#onNotCommitted = options.onNotCommitted;
  }

  /** Resolves when the batch is dealt with, or in other hands than those of kafkajs. */
  async take(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    if (this.#membership.closing.aborted) {
      // Else it would be fetched again and again until the batches in hand have ended.
      payload.pause();
      return;
    }
    const holding = this.#holding;
    const lane = this.#lane(topic);
    const done = this.#store(lane, { payload, holding });
    if (!lane.slow && (await endsWithin(done, PATIENCE_MS))) return;
    lane.slow = true;
    if (holding !== this.#holding) return;
    const resume = payload.pause();
    this.#paused.add(resume);
    void done
      .catch((error: unknown) => this.#onNotCommitted(error, { topic, partition }))
      .then(() => {
        if (this.#paused.delete(resume)) resume();
      });
  }

  /** The partitions may be others' now: nothing is committed any more for the batches in hand. */
  letGo(): void {
    this.#holding += 1;
    for (const resume of this.#paused) resume();
    this.#paused.clear();
  }

  /** Resolves when no batch is in hand. */
  async empty(): Promise<void> {
    for (;;) {
      const last = [...this.#lanes.values()].map((lane) => lane.last);
      await Promise.all(last);
      if ([...this.#lanes.values()].every((lane, at) => lane.last === last[at])) return;
    }
  }

  #lane(topic: string): Lane {
    const known = this.#lanes.get(topic);
    if (known !== undefined) return known;
    const lane: Lane = { last: Promise.resolve(), slow: false };
    this.#lanes.set(topic, lane);
    return lane;
  }

  /** Waits for its turn in the topic; rejects when the offset is not taken. */
  #store(lane: Lane, task: { payload: EachBatchPayload; holding: number }): Promise<void> {
    const done = lane.last.then(async () => {
      const started = performance.now();
      await this.#storeNow(task);
      lane.slow = performance.now() - started > PATIENCE_MS;
    });
    lane.last = done.catch(() => {});
    return done;
  }

  async #storeNow({ payload, holding }: { payload: EachBatchPayload; holding: number }): Promise<void> {
    const { batch } = payload;
    const { topic, partition, messages } = batch;
    const ours = (): boolean => holding === this.#holding && payload.isRunning();
    const mayGoOn = (): boolean => ours() && !this.#membership.closing.aborted;
    if (!mayGoOn()) return;
    const records = messages.map((message) => readRecord({ topic, partition, message }));
    if (!(await this.#membership.take({ topic, partition, records }, mayGoOn)) || !ours()) return;
    const last = batch.lastOffset();
    await payload.commitOffsetsIfNecessary({
      topics: [{ topic, partitions: [{ partition, offset: String(BigInt(last) + 1n) }] }],
    });
    if (ours()) payload.resolveOffset(last);
  }
}

/** Whether `work` ends in time; rejects with it. */
async function endsWithin(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A kafkajs message with its origin and readable headers. */
function readRecord({ topic, partition, message }: Origin & { message: KafkaMessage }): IncomingRecord {
  const { key, value, offset, timestamp, headers = {} } = message;
  return {
    topic,
    partition,
    offset,
    key,
    value,
    timestamp: Number(timestamp),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, given]) => [
        name,
        (Array.isArray(given) ? given[0] : given)?.toString(),
      ]),
    ),
  };
}
