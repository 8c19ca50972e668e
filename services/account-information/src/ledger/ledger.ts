import { ApiError } from '@kontoport/errors';
import type { Relay } from '@kontoport/events';
import { activeTraceparent } from '@kontoport/telemetry';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import type { Booked, LedgerEntry } from './posting.model.ts';
import { type Outcome, type Submission, writeGroup } from './write-group.ts';

/** Concurrent groups, each on its own connection. */
const MAX_GROUPS = 2;
/** Further groups that wait for a locked account. */
const MAX_WAITING_GROUPS = 3;
const MAX_GROUP_ENTRIES = 500;
/**
 * A second group starts beside the first one at this many entries, or after this delay: fewer groups hold more entries.
 * 2 ms instead of 20 lengthened p50 at 4 and 48 callers by 20 to 30 % and shortened it at 300 (two rounds).
 */
const SECOND_GROUP_ENTRIES = 100;
const SECOND_GROUP_DELAY_MS = 20;
/** Beyond it, entries are refused at once. An entry that waits longer than the statement timeout is refused later. */
const MAX_QUEUED = 10_000;
const MAX_QUEUED_MS = 10_000;

interface Item extends Submission {
  since: number;
  signal: AbortSignal | undefined;
  resolve: (booked: Booked | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes the bank's feed into the accounts, in groups. Entries that arrive while a group is written form the next group,
 * which is one database transaction. Entries of an account keep their order and do not wait for those of other accounts.
 */
export class Ledger {
  readonly #deps: { db: Db; relay: Relay };
  /** Entries by account. Those of a busy account wait in `#behind`. */
  #ready = new Map<string, Item[]>();
  readonly #behind = new Map<string, Item[]>();
  readonly #busy = new Set<string>();
  /** Entries of accounts that other transactions lock: each account has its own waiting group. */
  readonly #locked: Item[][] = [];
  #queued = 0;
  #writing = 0;
  #waiting = 0;
  #scheduled = false;
  /** Runs while entries wait for the first group. */
  #delay: NodeJS.Timeout | undefined;

  constructor(deps: { db: Db; relay: Relay }) {
    this.#deps = deps;
  }

  /**
   * Applies an entry once: a repetition (same account, amount, currency and command) returns the first answer and changes
   * nothing.
   * @param options.signal cancels an entry that is not being written yet
   * @param options.traceparent of the submitting trace; default: the active one
   * @returns the posting, for Post and Settle
   * @throws ApiError as `decideEntry`, or UNAVAILABLE
   */
  submit(
    entry: LedgerEntry,
    options: { signal?: AbortSignal; traceparent?: string } = {},
  ): Promise<Booked | undefined> {
    if (this.#queued >= MAX_QUEUED) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const traceparent = options.traceparent ?? activeTraceparent();
      const item = { entry, traceparent, since: performance.now(), signal: options.signal, resolve, reject };
      this.#queued++;
      append(this.#busy.has(entry.accountId) ? this.#behind : this.#ready, item);
      this.#schedule();
    });
  }

  /** Starts a group after all entries of the same turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled || this.#writing >= MAX_GROUPS || this.#ready.size === 0) return;
    if (this.#writing > 0 && this.#queued < SECOND_GROUP_ENTRIES) {
      this.#delay ??= setTimeout(() => this.#begin(), SECOND_GROUP_DELAY_MS);
      return;
    }
    this.#begin();
  }

  #begin(): void {
    clearTimeout(this.#delay);
    this.#delay = undefined;
    if (this.#scheduled || this.#writing >= MAX_GROUPS) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const items = this.#take();
      if (items.length > 0) void this.#write(items);
      this.#schedule();
    });
  }

  /** Removes the next group from the queue: ready entries, the account with the longest wait first. */
  #take(): Item[] {
    const group: Item[] = [];
    for (const [accountId, items] of this.#ready) {
      if (group.length >= MAX_GROUP_ENTRIES) break;
      this.#ready.delete(accountId);
      const room = MAX_GROUP_ENTRIES - group.length;
      const live = items.slice(0, room).filter((item) => this.#isLive(item));
      if (items.length > room) {
        const rest = items.slice(room);
        if (live.length > 0) this.#behind.set(accountId, rest);
        else this.#ready.set(accountId, rest);
      }
      if (live.length > 0) this.#busy.add(accountId);
      group.push(...live);
    }
    this.#queued -= group.length;
    return group;
  }

  #isLive(item: Item): boolean {
    if (item.signal?.aborted !== true && performance.now() - item.since < MAX_QUEUED_MS) return true;
    this.#queued--;
    item.reject(busy());
    return false;
  }

  async #write(items: readonly Item[]): Promise<void> {
    this.#writing++;
    const outcomes = await writeGroup(this.#deps, items, { wait: false });
    this.#writing--;
    const locked = new Map<string, Item[]>();
    for (const [at, item] of items.entries())
      if (outcomes[at] === 'locked') append(locked, item);
      else resolveItem(item, outcomes[at]!);
    for (const { entry } of items) if (!locked.has(entry.accountId)) this.#free(entry.accountId);
    this.#locked.push(...locked.values());
    this.#wait();
    this.#schedule();
  }

  #wait(): void {
    while (this.#waiting < MAX_WAITING_GROUPS && this.#locked.length > 0) {
      this.#waiting++;
      void this.#writeWaiting(this.#locked.shift()!);
    }
  }

  async #writeWaiting(items: readonly Item[]): Promise<void> {
    const outcomes = await writeGroup(this.#deps, items, { wait: true });
    this.#waiting--;
    for (const [at, item] of items.entries()) resolveItem(item, outcomes[at]!);
    this.#free(items[0]!.entry.accountId);
    this.#wait();
    this.#schedule();
  }

  #free(accountId: string): void {
    this.#busy.delete(accountId);
    const behind = this.#behind.get(accountId);
    if (behind === undefined) return;
    this.#behind.delete(accountId);
    this.#ready.set(accountId, behind);
  }
}

function resolveItem({ resolve, reject }: Item, outcome: Outcome): void {
  if (outcome === 'locked') reject(busy());
  else if ('error' in outcome) reject(outcome.error);
  else resolve(outcome.booked);
}

function append(queue: Map<string, Item[]>, item: Item): void {
  const items = queue.get(item.entry.accountId);
  if (items === undefined) queue.set(item.entry.accountId, [item]);
  else items.push(item);
}

function busy(): ApiError {
  return new ApiError('UNAVAILABLE', TEXTS('ledger-busy'));
}
