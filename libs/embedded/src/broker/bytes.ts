/** The bytes are no request that this broker supports. It closes the connection. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Reads the primitive types of Kafka's protocol in network byte order; 64-bit numbers become `number`. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  #take(length: number): number {
    const at = this.#at;
    if (length < 0 || at + length > this.#bytes.length) throw new ProtocolError('a request is cut off');
    this.#at += length;
    return at;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#take(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#take(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  int64(): number {
    return Number(this.#bytes.readBigInt64BE(this.#take(8)));
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  string(): string {
    const text = this.nullableString();
    if (text === null) throw new ProtocolError('a string is null');
    return text;
  }

  nullableString(): string | null {
    const length = this.int16();
    if (length === -1) return null;
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  /** A view, not a copy. */
  bytes(): Buffer {
    return this.nullableBytes() ?? Buffer.alloc(0);
  }

  nullableBytes(): Buffer | null {
    const length = this.int32();
    if (length === -1) return null;
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  array<T>(element: () => T): T[] {
    return this.nullableArray(element) ?? [];
  }

  nullableArray<T>(element: () => T): T[] | null {
    const count = this.int32();
    if (count === -1) return null;
    // An element has at least one byte, so the count is bounded before the allocation.
    if (count < 0 || count > this.#bytes.length - this.#at) throw new ProtocolError('an array is cut off');
    return Array.from({ length: count }, element);
  }
}

/** Writes the primitive types. */
export class Writer {
  #bytes = Buffer.allocUnsafe(256);
  #at = 0;

  #grow(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + length));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#at += length;
    return at;
  }

  int8(value: number): this {
    const at = this.#grow(1);
    this.#bytes.writeInt8(value, at);
    return this;
  }

  int16(value: number): this {
    const at = this.#grow(2);
    this.#bytes.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.#grow(4);
    this.#bytes.writeInt32BE(value, at);
    return this;
  }

  int64(value: number): this {
    const at = this.#grow(8);
    this.#bytes.writeBigInt64BE(BigInt(value), at);
    return this;
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  string(text: string | null): this {
    if (text === null) return this.int16(-1);
    const length = Buffer.byteLength(text);
    this.int16(length);
    const at = this.#grow(length);
    this.#bytes.write(text, at);
    return this;
  }

  bytes(value: Uint8Array | null): this {
    if (value === null) return this.int32(-1);
    this.int32(value.length);
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  array<T>(items: readonly T[] | null, element: (item: T) => void): this {
    this.int32(items?.length ?? -1);
    for (const item of items ?? []) element(item);
    return this;
  }

  /** Returns the written bytes; valid until the next write. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }
}
