import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How the authentication of a user ended: by what the user said, or because nobody proved to be the user. */
export type Outcome = 'APPROVED' | 'DECLINED' | 'FAILED';

/** Something that the bank must know after whatever happened to its process. */
export type Entry = { at: number } & (
  | { kind: 'asked'; id: string; request: unknown }
  | { kind: 'answered'; id: string; answer: Outcome }
  | { kind: 'taken'; id: string }
);

/**
 * What was decided, in the order in which it was: one line of JSON each, on the disk before anybody is told. A real bank
 * has a database; what it needs of it is no more than this.
 */
export class Journal {
  readonly #file: FileHandle;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /**
   * Opens the file, and hands back what it holds; what is not needed any more goes.
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

  /** Resolves when the entry is on the disk; one at a time, in the order of the calls. */
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

/** A last line without end was being written when the process died: nobody was told of it. */
function read(path: string): Entry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
}

/** The new name is on the disk, too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
