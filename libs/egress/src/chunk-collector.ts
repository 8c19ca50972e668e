const NOTHING = Buffer.alloc(0);

/** Bytes that come in parts, however small, as one. It has at most twice the room that they take. */
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

  /** All of them, without the room that is left. */
  bytes(): Buffer {
    return this.#length === this.#room.length
      ? this.#room
      : Buffer.from(this.#room.subarray(0, this.#length));
  }
}
