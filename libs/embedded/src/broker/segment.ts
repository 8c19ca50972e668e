import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type BatchHeader, HEADER_BYTES, isIntact, readBatchHeader } from './record-batch.ts';

/** Bytes between two entries of the index, which is in memory. */
const INDEX_BYTES = 4_096;

/** A file of a partition's log with whole batches. */
export class Segment {
  readonly baseOffset: number;
  readonly #path: string;
  readonly #file: number;
  readonly #index: { offset: number; at: number }[] = [];
  #size = 0;
  #nextOffset: number;
  #maxTimestamp = 0;

  constructor(folder: string, baseOffset: number) {
    this.baseOffset = baseOffset;
    this.#nextOffset = baseOffset;
    this.#path = join(folder, `${String(baseOffset).padStart(20, '0')}.log`);
    this.#file = openSync(this.#path, 'a+', 0o600);
  }

  /** Bytes. */
  get size(): number {
    return this.#size;
  }

  /** The offset after the last record. */
  get nextOffset(): number {
    return this.#nextOffset;
  }

  /** Milliseconds since 1970, of the latest record. */
  get maxTimestamp(): number {
    return this.#maxTimestamp;
  }

  /** Appends a batch. On return the operating system has it, so it survives the process. */
  append(batch: Buffer, header: BatchHeader): void {
    try {
      let written = 0;
      while (written < batch.length) written += writeSync(this.#file, batch, written);
    } catch (error) {
      // Removes a partial write of a full disk, so that the next batch follows a whole one.
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#count(header);
  }

  /** Reads the file after a start, and truncates a partial batch of a crash. */
  recover(onBatch: (header: BatchHeader) => void): void {
    const fileSize = fstatSync(this.#file).size;
    for (;;) {
      const header = this.#headerAt(this.#size);
      if (header === undefined || this.#size + header.size > fileSize) break;
      if (!isIntact(this.#read(this.#size, header.size))) break;
      onBatch(header);
      this.#count(header);
    }
    if (fileSize > this.#size) ftruncateSync(this.#file, this.#size);
  }

  /** Reads whole batches from the one that contains `offset`: as many as fit into `maxBytes`, at least one. */
  read(offset: number, maxBytes: number): Buffer {
    let at = this.#position(offset);
    let header = this.#headerAt(at);
    while (header !== undefined && header.lastOffset < offset) {
      at += header.size;
      header = this.#headerAt(at);
    }
    if (header === undefined) return Buffer.alloc(0);
    const chunk = this.#read(at, Math.min(Math.max(maxBytes, header.size), this.#size - at));
    return chunk.subarray(0, wholeBatches(chunk));
  }

  /** Finds the first batch with a record of that time or later. */
  offsetAt(timestamp: number): { offset: number; timestamp: number } | undefined {
    for (let at = 0; at < this.#size;) {
      const header = this.#headerAt(at)!;
      if (header.maxTimestamp >= timestamp)
        return { offset: header.baseOffset, timestamp: header.maxTimestamp };
      at += header.size;
    }
    return undefined;
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    this.close();
    unlinkSync(this.#path);
  }

  #count(header: BatchHeader): void {
    const last = this.#index.at(-1);
    if (last === undefined || this.#size - last.at >= INDEX_BYTES)
      this.#index.push({ offset: header.baseOffset, at: this.#size });
    this.#size += header.size;
    this.#nextOffset = header.lastOffset + 1;
    this.#maxTimestamp = Math.max(this.#maxTimestamp, header.maxTimestamp);
  }

  /** The position of the last index entry before an offset. */
  #position(offset: number): number {
    let low = 0;
    let high = this.#index.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#index[middle]!.offset <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#index[low - 1]?.at ?? 0;
  }

  #headerAt(at: number): BatchHeader | undefined {
    return readBatchHeader(this.#read(at, HEADER_BYTES));
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const count = readSync(this.#file, bytes, read, length - read, at + read);
      if (count === 0) break;
      read += count;
    }
    return bytes.subarray(0, read);
  }
}

/** The bytes of the whole batches in a chunk. */
function wholeBatches(chunk: Buffer): number {
  let end = 0;
  for (;;) {
    const header = readBatchHeader(chunk, end);
    if (header === undefined || end + header.size > chunk.length) return end;
    end += header.size;
  }
}
