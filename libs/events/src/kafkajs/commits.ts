import type { EachBatchPayload } from 'kafkajs';
import type { OffsetRange } from '../kafka.ts';

/** Offsets of this time are committed together. A process that dies gets their records again. */
const GATHER_MS = 200;

type Commit = EachBatchPayload['commitOffsetsIfNecessary'];
/** The next offset of each partition of each topic. */
type Stored = Map<string, Map<number, string>>;

/**
 * Commits the offsets of a member in the background: those of all topics in one request, one request at a time. kafkajs fetches
 * nothing while it waits for a commit.
 */
export class Commits {
  readonly #onFailure: (error: unknown) => void;
  #stored: Stored = new Map();
  #generation = 0;
  #commit: Commit | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isFailing = false;

  /** @param onFailure called for the first of several failed commits; their offsets are committed with the next ones */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Adds the offsets of stored records. @param commit commits in the current generation of the group */
  add(ranges: readonly OffsetRange[], commit: Commit): void {
    for (const { topic, partition, to } of ranges) {
      const offsets = this.#stored.get(topic) ?? new Map<number, string>();
      this.#stored.set(topic, offsets.set(partition, String(to)));
    }
    this.#commit = commit;
    this.#begin();
  }

  /** Drops all offsets, because other members may have the partitions now. */
  forget(): void {
    this.#generation += 1;
    this.#stored = new Map();
    this.#isFailing = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Commits what is left; resolves when that has succeeded or failed. */
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
    // A running one begins the next.
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

  /** Puts offsets back; later ones of the same partition win. */
  #putBack(stored: Stored): void {
    for (const [topic, since] of this.#stored) {
      const offsets = stored.get(topic);
      stored.set(topic, offsets === undefined ? since : new Map([...offsets, ...since]));
    }
    this.#stored = stored;
  }
}
