import type { EachBatchPayload } from 'kafkajs';
import type { OffsetRange } from '../kafka.ts';

/** What is stored meanwhile is committed together; so much comes again, at most, when a process dies. */
const GATHER_MS = 200;

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];
/** Of each topic the partitions, and where the group goes on in each. */
type Stored = Map<string, Map<number, string>>;

/**
 * The offsets that a member has yet to commit. A broker needs some milliseconds to keep them, in which kafkajs would fetch
 * nothing; so they are committed beside the work, those of all topics in one request, one request at a time.
 */
export class Commits {
  readonly #onFailure: (error: unknown) => void;
  #stored: Stored = new Map();
  #generation = 0;
  #commit: Commit | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isFailing = false;

  /** @param onFailure called when offsets are not taken, once until some are: they are committed with the next ones */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** These are stored. @param commit commits in the group as it is now */
  add(ranges: readonly OffsetRange[], commit: Commit): void {
    for (const { topic, partition, to } of ranges) {
      const offsets = this.#stored.get(topic) ?? new Map<number, string>();
      this.#stored.set(topic, offsets.set(partition, String(to)));
    }
    this.#commit = commit;
    this.#begin();
  }

  /** The partitions may be others' now. */
  forget(): void {
    this.#generation += 1;
    this.#stored = new Map();
    this.#isFailing = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Commits what is left now; resolves when that has ended, taken or not. */
  async flush(): Promise<void> {
    await this.#running;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#write();
  }

  #begin(): void {
    if (this.#stored.size > 0) this.#timer ??= setTimeout(() => this.#run(), GATHER_MS);
  }

  #run(): void {
    this.#timer = undefined;
    // The one that runs begins the next.
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
      this.#begin();
    });
  }

  async #write(): Promise<void> {
    if (this.#stored.size === 0) return;
    const [stored, generation] = [this.#stored, this.#generation];
    this.#stored = new Map();
    const topics = [...stored].map(([topic, offsets]) => ({
      topic,
      partitions: [...offsets].map(([partition, offset]) => ({ partition, offset })),
    }));
    try {
      await this.#commit!({ topics });
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#onFailure(error);
      this.#isFailing = true;
      if (generation === this.#generation) this.#putBack(stored);
    }
  }

  /** What was stored since then goes further. */
  #putBack(stored: Stored): void {
    for (const [topic, since] of this.#stored) {
      const offsets = stored.get(topic);
      stored.set(topic, offsets === undefined ? since : new Map([...offsets, ...since]));
    }
    this.#stored = stored;
  }
}
