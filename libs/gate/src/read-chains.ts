/** Characters of the headers kept: some thousand chains of ordinary length, and 80 of the longest. */
const MAX_KEPT_CHARACTERS = 4 * 1_024 * 1_024;

interface Kept {
  readonly rest: string;
  readonly chain: readonly Uint8Array[];
}

/**
 * Caches chains by the text of their headers, so that the next request over the same certificate decodes nothing and gets
 * the same object. The least recently used one is evicted first.
 */
export class ReadChains {
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;
  #characters = 0;

  /** @param most characters kept */
  constructor(most = MAX_KEPT_CHARACTERS) {
    this.#most = most;
  }

  /** The chain of this leaf and rest. Calls `read` for a missing one; errors are not cached. */
  get(leaf: string, rest: string, read: () => readonly Uint8Array[]): readonly Uint8Array[] {
    const kept = this.#kept.get(leaf);
    this.#forget(leaf, kept);
    const chain = kept?.rest === rest ? kept.chain : read();
    this.#kept.set(leaf, { rest, chain });
    this.#characters += leaf.length + rest.length;
    for (const [oldest, entry] of this.#kept) {
      if (this.#characters <= this.#most) break;
      this.#forget(oldest, entry);
    }
    return chain;
  }

  #forget(leaf: string, kept: Kept | undefined): void {
    if (kept === undefined) return;
    this.#kept.delete(leaf);
    this.#characters -= leaf.length + kept.rest.length;
  }
}
