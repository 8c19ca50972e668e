import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The committed position of a group in a partition. */
export interface Committed {
  offset: number;
  /** Written by the consumer. */
  metadata: string | null;
}

/** The commits of consumer groups, in a file with a line per commit, of which the last one counts. A start shortens the file. */
export class CommittedOffsets {
  readonly #committed = new Map<string, Committed>();
  readonly #file: number;

  constructor(folder: string) {
    const path = join(folder, 'offsets.jsonl');
    if (existsSync(path)) for (const line of readFileSync(path, 'utf8').split('\n')) this.#read(line);
    const lines = [...this.#committed].map(([key, committed]) => lineOf(key, committed));
    writeFileSync(`${path}.new`, lines.join(''), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    this.#file = openSync(path, 'a');
  }

  get(group: string, topic: string, partition: number): Committed | undefined {
    return this.#committed.get(keyOf(group, topic, partition));
  }

  set(group: string, topic: string, partition: number, committed: Committed): void {
    const key = keyOf(group, topic, partition);
    // Writes the whole line or throws; `writeSync` may return after a part of it.
    appendFileSync(this.#file, lineOf(key, committed));
    this.#committed.set(key, committed);
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

  /** Skips a line that a crash or a full disk cut off: its commit was never confirmed, so consumers read its records again. */
  #read(line: string): void {
    try {
      const [key, committed] = JSON.parse(line) as [string, Committed];
      this.#committed.set(key, committed);
    } catch {
      return;
    }
  }
}

function keyOf(group: string, topic: string, partition: number): string {
  return JSON.stringify([group, topic, partition]);
}

/** Begins with the line break, so that it never continues a partial line before it. */
function lineOf(key: string, committed: Committed): string {
  return `\n${JSON.stringify([key, committed])}`;
}
