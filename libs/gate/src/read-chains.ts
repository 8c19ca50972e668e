/** Characters of the headers kept: some thousand chains of ordinary length, and 80 of the longest. */
const MAX_KEPT_CHARACTERS = 4 * 1_024 * 1_024;

/**
 * Chains by the text of the headers that they came in, so that the next request over the same certificate need not have them
 * decoded again, and is known by the same object. The one used longest ago goes first.
 */
export class ReadChains {
  readonly #kept = new Map<string, readonly Uint8Array[]>();
  readonly #most: number;
  #characters = 0;

  /** @param most characters kept */
  constructor(most = MAX_KEPT_CHARACTERS) {
    this.#most = most;
  }

  /** The chain of this text; `read` is asked when it is not kept, and what it throws is not. */
  get(text: string, read: () => readonly Uint8Array[]): readonly Uint8Array[] {
    const kept = this.#kept.get(text);
    if (kept !== undefined) {
      this.#kept.delete(text);
      this.#kept.set(text, kept);
      return kept;
    }
    const chain = read();
    this.#kept.set(text, chain);
    this.#characters += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#most) break;
      this.#kept.delete(oldest);
      this.#characters -= oldest.length;
    }
    return chain;
  }
}
