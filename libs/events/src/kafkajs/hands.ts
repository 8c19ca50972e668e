import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { endsWithin, LEAVE_MS } from '../in-time.ts';
import type { Membership, RecordBatch } from '../kafka.ts';
import type { IncomingRecord } from '../record.ts';
import { Commits } from './commits.ts';

/** For so long kafkajs waits for a batch before it fetches the next records, of any topic. */
const PATIENCE_MS = 1_000;
/** A turn begins with no further batch once it has so many records. */
const RECORDS_OF_A_TURN = 2_000;

interface Origin {
  topic: string;
  partition: number;
}

/** A batch that waits for its topic's turn. */
interface Waiting {
  payload: EachBatchPayload;
  /** Under which holding it came. */
  holding: number;
  done: PromiseWithResolvers<void>;
}

/** The batches of one topic: those that came meanwhile are stored together, turn after turn. */
interface Lane {
  waiting: Waiting[];
  /** Ends when nothing waits any more. */
  working: Promise<void> | undefined;
  /** The latest turn took longer than kafkajs waits: the next one is not waited for at all. */
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
  readonly #onNotCommitted: (error: unknown) => void;
  readonly #commits: Commits;
  readonly #lanes = new Map<string, Lane>();
  /** Of each paused partition, what resumes it. */
  readonly #paused = new Set<() => void>();
  #holding = 0;

  constructor(options: {
    membership: Membership;
    /** Called when offsets were not taken: what they say comes again, unless later ones are taken. */
    onNotCommitted: (error: unknown) => void;
  }) {
    this.#membership = options.membership;
    this.#onNotCommitted = options.onNotCommitted;
    this.#commits = new Commits(options.onNotCommitted);
  }

  /** Resolves when the batch is dealt with, or in other hands than those of kafkajs. */
  async take(payload: EachBatchPayload): Promise<void> {
    const { topic } = payload.batch;
    if (this.#membership.closing.aborted) {
      // Else it would be fetched again and again until the batches in hand have ended.
      payload.pause();
      return;
    }
    const holding = this.#holding;
    const lane = this.#lane(topic);
    const done = this.#store(lane, payload);
    if (!lane.slow && (await endsWithin(done, PATIENCE_MS))) return;
    lane.slow = true;
    if (holding !== this.#holding) return;
    const resume = payload.pause();
    this.#paused.add(resume);
    void done.catch(this.#onNotCommitted).then(() => {
      if (this.#paused.delete(resume)) resume();
    });
  }

  /** The partitions may be others' now: nothing is committed any more for the batches in hand. */
  letGo(): void {
    this.#holding += 1;
    this.#commits.forget();
    for (const resume of this.#paused) resume();
    this.#paused.clear();
  }

  /** Resolves when no batch is in hand. */
  async rest(): Promise<void> {
    for (;;) {
      const working = [...this.#lanes.values()].flatMap((lane) => lane.working ?? []);
      if (working.length === 0) return;
      await Promise.all(working);
    }
  }

  /** Resolves when no batch is in hand, and the offsets of what was stored are committed, or the broker does not take them in time. */
  async empty(): Promise<void> {
    await this.rest();
    await endsWithin(this.#commits.flush(), LEAVE_MS);
  }

  #lane(topic: string): Lane {
    const known = this.#lanes.get(topic);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: [], working: undefined, slow: false };
    this.#lanes.set(topic, lane);
    return lane;
  }

  /** Waits for a turn of the topic. */
  #store(lane: Lane, payload: EachBatchPayload): Promise<void> {
    const done = Promise.withResolvers<void>();
    // Whoever waits hears of it; when we are let go, nobody does.
    done.promise.catch(() => {});
    lane.waiting.push({ payload, holding: this.#holding, done });
    lane.working ??= this.#work(lane);
    return done.promise;
  }

  async #work(lane: Lane): Promise<void> {
    // The batches of one answer are handed over in one go.
    await Promise.resolve();
    while (lane.waiting.length > 0) {
      const turn = nextTurn(lane);
      const started = performance.now();
      try {
        await this.#storeNow(turn.filter(({ holding }) => holding === this.#holding));
        for (const { done } of turn) done.resolve();
      } catch (error) {
        for (const { done } of turn) done.reject(error);
      }
      lane.slow = performance.now() - started > PATIENCE_MS;
    }
    lane.working = undefined;
  }

  async #storeNow(turn: readonly Waiting[]): Promise<void> {
    const [first] = turn;
    if (first === undefined) return;
    const { payload, holding } = first;
    const ours = (): boolean => holding === this.#holding && payload.isRunning();
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

/** Takes what comes next from those that wait: whole batches, one at least. */
function nextTurn(lane: Lane): Waiting[] {
  let records = 0;
  const end = lane.waiting.findIndex(({ payload: { batch } }) => {
    const isFull = records >= RECORDS_OF_A_TURN;
    records += batch.messages.length;
    return isFull;
  });
  return lane.waiting.splice(0, end === -1 ? lane.waiting.length : end);
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
