/** A moment and what is due then. */
export interface DueEntry<T> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly item: T;
}

/** A binary heap by due time: adding and taking cost log n, however many wait. */
export class DueQueue<T> {
  readonly #heap: DueEntry<T>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(entry: DueEntry<T>): void {
    const heap = this.#heap;
    let i = heap.push(entry) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (heap[parent]!.at <= entry.at) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  /** Takes the earliest entry that is due at `now` (milliseconds since 1970). */
  take(now: number): DueEntry<T> | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > now) return undefined;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= last.at) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}
