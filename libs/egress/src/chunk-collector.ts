const NOTHING = Buffer.alloc(0);

/** Collects small chunks into one buffer, which is at most twice as long as they are together. */
export class ChunkCollector {
  #room = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a copy. */
  add(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#room.length));
      this.#room.copy(larger, 0, 0, this.#length);
      this.#room = larger;
    }
    bytes.copy(this.#room, this.#length);
    this.#length = length;
  }

  /** Returns all bytes, without the spare room. */
  bytes(): Buffer {
    return this.#length === this.#room.length
      ? this.#room
      : Buffer.from(this.#room.subarray(0, this.#length));
  }
}
