import { mkdirSync, readdirSync } from 'node:fs';
import { Producers } from './producers.ts';
import { type BatchHeader, isIntact, placeBatch, readBatchHeader } from './record-batch.ts';
import { Segment } from './segment.ts';

/** Bounds of a partition's log. */
export interface LogLimits {
  /** Bytes after which a new file begins. */
  segmentBytes: number;
  /** Milliseconds after which a full file is dropped. */
  retentionMs: number;
}

/** Bytes of one batch; brokers take about 1 MB. */
export const MAX_BATCH_BYTES = 1_048_588;

/** The result of an append. */
export type Appended =
  | { baseOffset: number }
  | { refused: 'corrupt' | 'too-large' | 'out-of-order' | 'fenced' };

/** The log of a partition, in whole batches as they were sent. */
export class PartitionLog {
  readonly #folder: string;
  readonly #limits: LogLimits;
  readonly #segments: Segment[] = [];
  readonly #producers = new Producers();
  readonly #waiting = new Set<() => void>();

  /** Opens the log of a folder, also after a crash. */
  constructor(folder: string, limits: LogLimits) {
    this.#folder = folder;
    this.#limits = limits;
    mkdirSync(folder, { recursive: true });
    const bases = readdirSync(folder)
      .filter((name) => /^\d{20}\.log$/.test(name))
      .map((name) => Number(name.slice(0, 20)))
      .toSorted((a, b) => a - b);
    for (const base of bases.length > 0 ? bases : [0]) {
      const segment = new Segment(folder, base);
      segment.recover((header) => this.#producers.add(header));
      this.#segments.push(segment);
    }
  }

  get startOffset(): number {
    return this.#segments[0]!.baseOffset;
  }

  /** The offset of the next record. */
  get endOffset(): number {
    return this.#segments.at(-1)!.nextOffset;
  }

  /** Appends the batches of a producer. @param now milliseconds since 1970 */
  append(records: Buffer, now: number): Appended {
    let first: number | undefined;
    for (let at = 0; at < records.length;) {
      const header = readBatchHeader(records, at);
      if (header === undefined || at + header.size > records.length) return { refused: 'corrupt' };
      const appended = this.#appendBatch(records.subarray(at, at + header.size), header, now);
      if ('refused' in appended) return appended;
      first ??= appended.baseOffset;
      at += header.size;
    }
    if (first === undefined) return { refused: 'corrupt' };
    for (const wake of this.#waiting) wake();
    return { baseOffset: first };
  }

  #appendBatch(batch: Buffer, header: BatchHeader, now: number): Appended {
    if (batch.length > MAX_BATCH_BYTES) return { refused: 'too-large' };
    if (!isIntact(batch)) return { refused: 'corrupt' };
    const sequenced = this.#producers.judge(header);
    if (sequenced.kind === 'repeated') return { baseOffset: sequenced.baseOffset };
    if (sequenced.kind !== 'next') return { refused: sequenced.kind };
    const baseOffset = this.endOffset;
    placeBatch(batch, baseOffset);
    const placed = readBatchHeader(batch)!;
    this.#current(now).append(batch, placed);
    this.#producers.add(placed);
    return { baseOffset };
  }

  /** The file for the next append. A full one is followed by a new one, and expired ones are removed. */
  #current(now: number): Segment {
    const current = this.#segments.at(-1)!;
    if (current.size < this.#limits.segmentBytes) return current;
    const next = new Segment(this.#folder, current.nextOffset);
    this.#segments.push(next);
    while (this.#segments.length > 1 && this.#segments[0]!.maxTimestamp < now - this.#limits.retentionMs)
      this.#segments.shift()!.remove();
    return next;
  }

  /**
   * Whole batches from `offset` on, of one file, `maxBytes` or one batch; empty at the end of the log.
   * @returns undefined for an offset that the log does not have
   */
  read(offset: number, maxBytes: number): Buffer | undefined {
    if (offset < this.startOffset || offset > this.endOffset) return undefined;
    const segment = this.#segments.findLast(({ baseOffset }) => baseOffset <= offset)!;
    return offset < segment.nextOffset ? segment.read(offset, maxBytes) : Buffer.alloc(0);
  }

  /** The first offset with that time or later; milliseconds since 1970. */
  offsetAt(timestamp: number): { offset: number; timestamp: number } | undefined {
    for (const segment of this.#segments) {
      const found = segment.maxTimestamp >= timestamp ? segment.offsetAt(timestamp) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  /** Calls `wake` after every append, until the returned function is called. */
  onAppend(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  close(): void {
    for (const segment of this.#segments) segment.close();
  }
}
