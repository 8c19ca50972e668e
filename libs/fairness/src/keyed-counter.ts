/** Counts by key, such as connections by address. A key whose count is zero is forgotten, so the counter does not grow. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();

  /** Keys with a count. */
  get size(): number {
    return this.#counts.size;
  }

  /** Each key with its count, which is not zero. */
  entries(): Iterable<[key: string, count: number]> {
    return this.#counts.entries();
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, change: number): void {
    const count = this.of(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
