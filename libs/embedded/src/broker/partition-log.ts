import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Producers } from './producers.ts';
import { type BatchHeader, HEADER_BYTES, isIntact, placeBatch, readBatchHeader } from './record-batch.ts';

/** Bytes of one batch; brokers take about 1 MB. */
export const MAX_BATCH_BYTES = 1_048_588;

const FILE = '00000000000000000000.log';

/** The result of an append. */
export type Appended =
  | { baseOffset: number }
  | { refused: 'corrupt' | 'too-large' | 'out-of-order' | 'fenced' };

/** The log of a partition: a file of whole batches as they were sent. Nothing is removed from it. */
export class PartitionLog {
  readonly #file: number;
  /** The first offset of each batch, and where it begins in the file. */
  readonly #offsets: number[] = [];
  readonly #positions: number[] = [];
  #size = 0;
  #endOffset = 0;
  readonly #producers = new Producers();
  readonly #waiting = new Set<() => void>();

  /** Opens the log of a folder, also after a crash, of which it truncates a partial batch. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#file = openSync(join(folder, FILE), 'a+', 0o600);
    const fileSize = fstatSync(this.#file).size;
    for (;;) {
      const header = readBatchHeader(this.#read(this.#size, HEADER_BYTES));
      if (header === undefined || this.#size + header.size > fileSize) break;
      if (!isIntact(this.#read(this.#size, header.size))) break;
      this.#add(header);
    }
    if (fileSize > this.#size) ftruncateSync(this.#file, this.#size);
  }

  /** The offset of the next record. */
  get endOffset(): number {
    return this.#endOffset;
  }

  /** Appends the batches of a producer. On return the operating system has them, so they survive the process. */
  append(records: Buffer): Appended {
    let first: number | undefined;
    for (let at = 0; at < records.length;) {
      const header = readBatchHeader(records, at);
      if (header === undefined || at + header.size > records.length) return { refused: 'corrupt' };
      const appended = this.#appendBatch(records.subarray(at, at + header.size), header);
      if ('refused' in appended) return appended;
      first ??= appended.baseOffset;
      at += header.size;
    }
    if (first === undefined) return { refused: 'corrupt' };
    for (const wake of this.#waiting) wake();
    return { baseOffset: first };
  }

  #appendBatch(batch: Buffer, header: BatchHeader): Appended {
    if (batch.length > MAX_BATCH_BYTES) return { refused: 'too-large' };
    if (!isIntact(batch)) return { refused: 'corrupt' };
    const sequenced = this.#producers.judge(header);
    if (sequenced.kind === 'repeated') return { baseOffset: sequenced.baseOffset };
    if (sequenced.kind !== 'next') return { refused: sequenced.kind };
    const baseOffset = this.#endOffset;
    placeBatch(batch, baseOffset);
    this.#write(batch);
    this.#add(readBatchHeader(batch)!);
    return { baseOffset };
  }

  #write(batch: Buffer): void {
    try {
      let written = 0;
      while (written < batch.length) written += writeSync(this.#file, batch, written);
    } catch (error) {
      // Removes a partial write of a full disk, so that the next batch follows a whole one.
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
  }

  #add(header: BatchHeader): void {
    this.#offsets.push(header.baseOffset);
    this.#positions.push(this.#size);
    this.#size += header.size;
    this.#endOffset = header.lastOffset + 1;
    this.#producers.add(header);
  }

  /**
   * Whole batches from the one that contains `offset`: as many as fit into `maxBytes`, at least one; empty at the end of the log.
   * @returns undefined for an offset that the log does not have
   */
  read(offset: number, maxBytes: number): Buffer | undefined {
    if (offset < 0 || offset > this.#endOffset) return undefined;
    if (offset === this.#endOffset) return Buffer.alloc(0);
    const first = countUpTo(this.#offsets, offset) - 1;
    const from = this.#positions[first]!;
    const most = from + maxBytes;
    const fitting = most >= this.#size ? this.#size : this.#positions[countUpTo(this.#positions, most) - 1]!;
    return this.#read(from, Math.max(fitting, this.#positions[first + 1] ?? this.#size) - from);
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

  /** Calls `wake` after every append, until the returned function is called. */
  onAppend(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Counts the numbers of an ascending list up to a value. */
function countUpTo(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
