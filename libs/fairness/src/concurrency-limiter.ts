import { KeyedCounter } from './keyed-counter.ts';

/** Bounds how much runs at a time, in total and for each key, and refuses the rest at once. */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #maxPerKey: number;
  readonly #refusal: () => Error;
  readonly #active = new KeyedCounter();
  #total = 0;

  /** @param options.refusal makes the error for a call beyond a bound */
  constructor(options: { max: number; maxPerKey: number; refusal: () => Error }) {
    this.#max = options.max;
    this.#maxPerKey = options.maxPerKey;
    this.#refusal = options.refusal;
  }

  /**
   * Takes a slot of a key, such as an organization.
   * @returns releases the slot; call it once
   * @throws the refusal when no slot is free
   */
  acquire(key: string): () => void {
    if (this.#total >= this.#max || this.#active.of(key) >= this.#maxPerKey) throw this.#refusal();
    this.#change(key, 1);
    return () => this.#change(key, -1);
  }

  /** Runs `work` in a slot of the key. @throws the refusal when no slot is free */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = this.acquire(key);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #change(key: string, change: 1 | -1): void {
    this.#total += change;
    this.#active.add(key, change);
  }
}
