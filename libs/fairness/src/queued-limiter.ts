import pLimit, { type LimitFunction } from 'p-limit';

/** Bounds how much runs at a time for each key. Further calls of the key queue in order, up to a bound; beyond it they are refused. */
export class QueuedLimiter {
  readonly #maxPerKey: number;
  readonly #maxQueuedPerKey: number;
  readonly #refusal: () => Error;
  readonly #limits = new Map<string, LimitFunction>();

  /** @param options.refusal makes the error for a call that finds the queue full */
  constructor(options: { maxPerKey: number; maxQueuedPerKey: number; refusal: () => Error }) {
    this.#maxPerKey = options.maxPerKey;
    this.#maxQueuedPerKey = options.maxQueuedPerKey;
    this.#refusal = options.refusal;
  }

  /** Keys that have something running or queued. */
  get size(): number {
    return this.#limits.size;
  }

  /**
   * Runs `work` once a slot of the key is free.
   * @param options.signal work whose signal has been aborted in the queue is not begun
   * @throws the refusal when the queue of the key is full
   */
  async run<T>(key: string, work: () => Promise<T>, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
    const limit = this.#limits.get(key) ?? pLimit(this.#maxPerKey);
    if (limit.activeCount + limit.pendingCount >= this.#maxPerKey + this.#maxQueuedPerKey)
      throw this.#refusal();
    this.#limits.set(key, limit);
    try {
      return await limit(async () => {
        signal?.throwIfAborted();
        return work();
      });
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) this.#limits.delete(key);
    }
  }
}
