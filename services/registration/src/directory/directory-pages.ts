import { WatchResponse } from '@kontoport/proto/registration/v1';
import type { ChangedClients, DirectoryState } from './known-client.model.ts';

/** Maximum clients and bytes of a message to a watcher. */
export const MAX_PART_CLIENTS = 500;
const MAX_PART_BYTES = 256 * 1_024;

/** Bytes of cached pages for the next requests of watchers. Pages beyond it are read again. */
const MAX_KEPT_BYTES = 32 * 1_024 * 1_024;

/** The clients changed after a revision, in the message for every watcher at that revision. */
export interface Page {
  /** A WatchResponse. */
  message: Uint8Array;
  /** The page contains all changes up to this one. */
  revision: bigint;
  /** At the time of the read. */
  state: DirectoryState;
}

/**
 * Puts the changes into one message, or as many of the first ones as fit if clients are about the same size.
 * @param limit the requested number: for as many rows there may be more
 */
export function toPage({ clients, state }: ChangedClients, limit = MAX_PART_CLIENTS): Page {
  for (let count = clients.length; ;) {
    const sent = clients.slice(0, count);
    const cut = count < clients.length || count === limit;
    const part = { revision: cut ? sent.at(-1)!.revision : state.revision, clients: sent };
    const message = WatchResponse.encode({ message: { $case: 'part', value: part } }).finish();
    // A single client always fits: registration limits its size.
    if (message.length <= MAX_PART_BYTES || count === 1) return { message, revision: part.revision, state };
    count = Math.max(1, Math.floor((count * MAX_PART_BYTES) / message.length));
  }
}

/**
 * The pages that watchers are reading: read once and encoded once for all watchers. A page may be out of date, because later
 * changes follow later, with one exception: clients purged since are in no later page.
 */
export class DirectoryPages {
  readonly #read: (after: bigint) => Promise<Page>;
  /** Oldest first. */
  readonly #kept = new Map<bigint, { page: Promise<Page>; bytes: number }>();
  #keptBytes = 0;
  #purgedRevision = 0n;

  /** @param read reads the page after a revision from the database */
  constructor(read: (after: bigint) => Promise<Page>) {
    this.#read = read;
  }

  /** Returns the changes after `after`. @throws the errors of the database */
  get(after: bigint): Promise<Page> {
    const kept = this.#kept.get(after);
    if (kept) return kept.page;
    const entry = { page: this.#read(after), bytes: 0 };
    this.#kept.set(after, entry);
    entry.page.then(
      (page) => {
        this.notePurged(page.state.purgedRevision);
        if (this.#kept.get(after) === entry) this.#account(entry, page);
      },
      () => {
        if (this.#kept.get(after) === entry) this.#kept.delete(after);
      },
    );
    return entry.page;
  }

  /** Caches a page that was read elsewhere. */
  add(after: bigint, page: Page): void {
    if (this.#kept.has(after) || page.state.purgedRevision < this.#purgedRevision) return;
    const entry = { page: Promise.resolve(page), bytes: 0 };
    this.#kept.set(after, entry);
    this.#account(entry, page);
  }

  /** Deletes the pages read before that purge: they contain live clients whose deletion is no longer sent. */
  notePurged(purgedRevision: bigint): void {
    if (purgedRevision <= this.#purgedRevision) return;
    this.#purgedRevision = purgedRevision;
    this.clear();
  }

  /** Deletes all pages. */
  clear(): void {
    this.#kept.clear();
    this.#keptBytes = 0;
  }

  #account(entry: { bytes: number }, page: Page): void {
    entry.bytes = page.message.length;
    this.#keptBytes += entry.bytes;
    for (const [after, { bytes }] of this.#kept) {
      if (this.#keptBytes <= MAX_KEPT_BYTES) return;
      this.#kept.delete(after);
      this.#keptBytes -= bytes;
    }
  }
}
