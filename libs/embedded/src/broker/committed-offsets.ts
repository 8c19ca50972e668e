import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** How far a group has read a partition. */
export interface Committed {
  offset: number;
  /** The consumer's own words. */
  metadata: string | null;
}

/** The file is written anew when it has this many lines more than entries. */
const SPARE_LINES = 50_000;

/** What consumer groups committed: a line per commit, so that the last one counts. It outlives the process. */
export class CommittedOffsets {
  readonly #path: string;
  readonly #committed = new Map<string, Committed>();
  #file: number;
  #lines = 0;

  constructor(folder: string) {
    this.#path = join(folder, 'offsets.jsonl');
    this.#file = openSync(this.#path, 'a', 0o600);
    const bytes = readFileSync(this.#path);
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
    // A line that a crash cut off was never confirmed.
    if (whole.length < bytes.length) ftruncateSync(this.#file, whole.length);
    for (const line of whole.toString('utf8').split('\n').slice(0, -1)) this.#read(line);
    this.#shorten();
  }

  get(group: string, topic: string, partition: number): Committed | undefined {
    return this.#committed.get(keyOf(group, topic, partition));
  }

  set(group: string, topic: string, partition: number, committed: Committed): void {
    const key = keyOf(group, topic, partition);
    appendWhole(this.#file, Buffer.from(lineOf(key, committed)));
    this.#committed.set(key, committed);
    this.#lines += 1;
    this.#shorten();
  }

  /** The partitions of a group, by topic. */
  of(group: string): Map<string, number[]> {
    const found = new Map<string, number[]>();
    for (const key of this.#committed.keys()) {
      const [owner, topic, partition] = JSON.parse(key) as [string, string, number];
      if (owner === group) found.set(topic, [...(found.get(topic) ?? []), partition]);
    }
    return found;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** A line that cannot be read costs one commit: its records are read again, which consumers are made for. */
  #read(line: string): void {
    this.#lines += 1;
    try {
      const [key, committed] = JSON.parse(line) as [string, Committed];
      this.#committed.set(key, committed);
    } catch {
      return;
    }
  }

  #shorten(): void {
    if (this.#lines <= this.#committed.size + SPARE_LINES) return;
    const whole = [...this.#committed].map(([key, committed]) => lineOf(key, committed)).join('');
    writeFileSync(`${this.#path}.new`, whole, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
    closeSync(this.#file);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#lines = this.#committed.size;
  }
}

/** On a full disk a write may end halfway, with or without an error: the next line must not stand behind half a one. */
function appendWhole(file: number, line: Buffer): void {
  const { size } = fstatSync(file);
  try {
    for (let written = 0; written < line.length;) written += writeSync(file, line, written);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

function keyOf(group: string, topic: string, partition: number): string {
  return JSON.stringify([group, topic, partition]);
}

function lineOf(key: string, committed: Committed): string {
  return `${JSON.stringify([key, committed])}\n`;
}
