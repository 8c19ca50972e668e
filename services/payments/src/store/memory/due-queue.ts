/** An item and its due time. */
export interface DueEntry<T> {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A later entry with the same key replaces it. */
  readonly key: string;
  readonly item: T;
}

/**
 * A binary heap by due time with one entry for each key: putting, removing and taking cost log n, and an entry that moves uses no
 * more memory.
 */
export class DueQueue<T> {
  readonly #heap: DueEntry<T>[] = [];
  /** The index of each key in the heap. */
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#heap.length;
  }

  put(entry: DueEntry<T>): void {
    this.remove(entry.key);
    this.#rise(this.#heap.length, entry);
  }

  /** Removes the entry of the key. */
  remove(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    const last = this.#heap.pop()!;
    if (last.key === key) return;
    const parent = this.#heap[(place - 1) >> 1];
    if (place > 0 && parent!.at > last.at) this.#rise(place, last);
    else this.#sink(place, last);
  }

  /** Takes the earliest entry that is due at `now` (milliseconds since 1970). */
  take(now: number): DueEntry<T> | undefined {
    const [first] = this.#heap;
    if (first === undefined || first.at > now) return undefined;
    this.remove(first.key);
    return first;
  }

  /** Sets the entry at a place that is free, or above. */
  #rise(place: number, entry: DueEntry<T>): void {
    let i = place;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.#heap[parent]!.at <= entry.at) break;
      this.#set(i, this.#heap[parent]!);
      i = parent;
    }
    this.#set(i, entry);
  }

  /** Sets the entry at a place that is free, or below. */
  #sink(place: number, entry: DueEntry<T>): void {
    const heap = this.#heap;
    let i = place;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= entry.at) break;
      this.#set(i, heap[child]!);
      i = child;
    }
    this.#set(i, entry);
  }

  #set(place: number, entry: DueEntry<T>): void {
    this.#heap[place] = entry;
    this.#places.set(entry.key, place);
  }
}
