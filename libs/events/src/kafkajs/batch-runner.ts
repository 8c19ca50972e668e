import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { Membership, RecordBatch } from '../kafka.ts';
import type { IncomingRecord } from '../record.ts';
import { CLOSE_LIMIT_MS, withTimeout } from '../timeouts.ts';
import { Commits } from './commits.ts';

/** The time that kafkajs waits for a batch before it fetches the next records of any topic. */
const MAX_WAIT_MS = 1_000;
/** A run gets no further batch once it has this many records. */
const RECORDS_PER_RUN = 2_000;

interface Origin {
  topic: string;
  partition: number;
}

/** A batch that waits for the next run of its topic. */
interface QueuedBatch {
  payload: EachBatchPayload;
  /** The group generation in which it came. */
  generation: number;
  done: PromiseWithResolvers<void>;
}

/** The batches of one topic: those that come during a run are handled together by the next. */
interface TopicQueue {
  waiting: QueuedBatch[];
  /** Resolves when the queue is empty. */
  working: Promise<void> | undefined;
  /** The latest run took longer than kafkajs waits: the next one is not waited for at all. */
  slow: boolean;
}

/**
 * Runs the handler over the batches of a group member. kafkajs fetches nothing until every batch of the last answer has been
 * handled, so a slow handler, such as one that waits for its database, would stop all topics. The runner pauses only the
 * partitions of that topic, and resumes them when the batch has ended.
 */
export class BatchRunner {
  readonly #membership: Membership;
  readonly #onNotCommitted: (error: unknown) => void;
  readonly #commits: Commits;
  readonly #queues = new Map<string, TopicQueue>();
  /** Resumes each paused partition. */
  readonly #paused = new Set<() => void>();
  #generation = 0;

  constructor(options: {
    membership: Membership;
    /** Called when offsets were not committed: their records come again, unless later offsets are committed. */
    onNotCommitted: (error: unknown) => void;
  }) {
    this.#membership = options.membership;
    this.#onNotCommitted = options.onNotCommitted;
    this.#commits = new Commits(options.onNotCommitted);
  }

  /** Handles a batch. Resolves when it is handled, or when its partition is paused and kafkajs may go on. */
  async run(payload: EachBatchPayload): Promise<void> {
    const { topic } = payload.batch;
    if (this.#membership.closing.aborted) {
      // Otherwise it would be fetched again and again until the batches in flight have ended.
      payload.pause();
      return;
    }
    const generation = this.#generation;
    const queue = this.#queue(topic);
    const done = this.#store(queue, payload);
    if (!queue.slow && (await withTimeout(done, MAX_WAIT_MS))) return;
    queue.slow = true;
    if (generation !== this.#generation) return;
    const resume = payload.pause();
    this.#paused.add(resume);
    void done.catch(this.#onNotCommitted).then(() => {
      if (this.#paused.delete(resume)) resume();
    });
  }

  /** Drops the batches in flight without a commit: the partitions may belong to other members now. */
  onRevoked(): void {
    this.#generation += 1;
    this.#commits.forget();
    for (const resume of this.#paused) resume();
    this.#paused.clear();
  }

  /** Resolves when no batch is in flight. */
  async idle(): Promise<void> {
    for (;;) {
      const working = [...this.#queues.values()].flatMap((queue) => queue.working ?? []);
      if (working.length === 0) return;
      await Promise.all(working);
    }
  }

  /** Resolves when no batch is in flight and the offsets are committed, or the broker did not answer in time. */
  async drain(): Promise<void> {
    await this.idle();
    await withTimeout(this.#commits.flush(), CLOSE_LIMIT_MS);
  }

  #queue(topic: string): TopicQueue {
    const known = this.#queues.get(topic);
    if (known !== undefined) return known;
    const queue: TopicQueue = { waiting: [], working: undefined, slow: false };
    this.#queues.set(topic, queue);
    return queue;
  }

  /** Queues a batch for the next run of its topic. */
  #store(queue: TopicQueue, payload: EachBatchPayload): Promise<void> {
    const done = Promise.withResolvers<void>();
    // The caller waits for it, unless the batches were dropped.
    done.promise.catch(() => {});
    queue.waiting.push({ payload, generation: this.#generation, done });
    queue.working ??= this.#work(queue);
    return done.promise;
  }

  async #work(queue: TopicQueue): Promise<void> {
    // kafkajs hands over the batches of one answer in one tick.
    await Promise.resolve();
    while (queue.waiting.length > 0) {
      const turn = nextBatches(queue);
      const started = performance.now();
      try {
        await this.#runNow(turn.filter(({ generation }) => generation === this.#generation));
        for (const { done } of turn) done.resolve();
      } catch (error) {
        for (const { done } of turn) done.reject(error);
      }
      queue.slow = performance.now() - started > MAX_WAIT_MS;
    }
    queue.working = undefined;
  }

  async #runNow(turn: readonly QueuedBatch[]): Promise<void> {
    const [first] = turn;
    if (first === undefined) return;
    const { payload, generation } = first;
    const ours = (): boolean => generation === this.#generation && payload.isRunning();
    const mayGoOn = (): boolean => ours() && !this.#membership.closing.aborted;
    if (!mayGoOn()) return;
    const batches = turn.map(({ payload: { batch } }) => readBatch(batch));
    if (!(await this.#membership.take(batches, mayGoOn)) || !ours()) return;
    for (const { payload: each } of turn) each.resolveOffset(each.batch.lastOffset());
    this.#commits.add(
      batches.map(({ range }) => range),
      payload.commitOffsetsIfNecessary,
    );
  }
}

/** Removes the batches of the next run from the queue: whole ones, at least one. */
function nextBatches(queue: TopicQueue): QueuedBatch[] {
  let records = 0;
  const end = queue.waiting.findIndex(({ payload: { batch } }) => {
    const isFull = records >= RECORDS_PER_RUN;
    records += batch.messages.length;
    return isFull;
  });
  return queue.waiting.splice(0, end === -1 ? queue.waiting.length : end);
}

function readBatch(batch: EachBatchPayload['batch']): RecordBatch {
  const { topic, partition, messages } = batch;
  const last = batch.lastOffset();
  return {
    topic,
    partition,
    records: messages.map((message) => readRecord({ topic, partition, message })),
    range: { topic, partition, from: BigInt(batch.firstOffset() ?? last), to: BigInt(last) + 1n },
  };
}

/** A kafkajs message with its origin and readable headers. */
export function readRecord({
  topic,
  partition,
  message,
}: Origin & { message: KafkaMessage }): IncomingRecord {
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
