import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of an authentication: the user's answer, or FAILED after wrong codes. */
export type Outcome = 'APPROVED' | 'DECLINED' | 'FAILED';

/** A fact that must survive a crash of the bank. */
export type Entry = { at: number } & (
  | { kind: 'asked'; id: string; request: unknown }
  | { kind: 'answered'; id: string; answer: Outcome }
  | { kind: 'taken'; id: string }
);

/**
 * The bank's decisions in their order, one line of JSON each, on the disk before the bank answers. A real bank uses a
 * database.
 */
export class Journal {
  readonly #file: FileHandle;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Opens the file and returns its entries; it removes those that are not needed any more.
   * @param stillNeeded of all entries those that are to be kept
   */
  static async open(
    path: string,
    stillNeeded: (entries: readonly Entry[]) => Entry[],
  ): Promise<{ journal: Journal; entries: Entry[] }> {
    const entries = stillNeeded(read(path));
    const kept = `${path}.new`;
    writeFileSync(kept, entries.map(lineOf).join(''), { mode: 0o600, flush: true });
    renameSync(kept, path);
    syncFolder(dirname(path));
    return { journal: new Journal(await open(path, 'a')), entries };
  }

  /** Resolves when the entry is on the disk. Entries keep the order of the calls. */
  append(entry: Entry): Promise<void> {
    const written = this.#writing.then(async () => {
      await this.#file.appendFile(lineOf(entry));
      await this.#file.datasync();
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }
}

const lineOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

/** Drops a last line without end: the process died before it answered. */
function read(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
}

/** Syncs the folder, so that the new name is on the disk, too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
