import { ApiError } from '@kontoport/errors';
import type { Relay } from '@kontoport/events';
import { activeTraceparent } from '@kontoport/telemetry';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import type { Booked, LedgerEntry } from './posting.model.ts';
import { type Arrival, type Outcome, writeGroup } from './write-group.ts';

/** Groups in the making at a time, each on a connection of its own; so many more may wait for a locked account. */
const GROUPS = 2;
const WAITING = 3;
const GROUP_ENTRIES = 500;
/** A second group begins for so many, or when the first takes longer than that: few share one that comes after it. */
const WORTH_A_GROUP = 100;
const PATIENCE_MS = 20;
/** What waits beyond is refused at once; what waits longer than a statement may take is refused in turn. */
const QUEUED = 10_000;
const QUEUED_MS = 10_000;

interface Item extends Arrival {
  since: number;
  signal: AbortSignal | undefined;
  resolve: (booked: Booked | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * The bank's feed into the accounts. What comes while a group is written makes the next one: a group is one transaction,
 * in which its entries are decided in turn. Entries of an account follow each other in the order in which they came;
 * those of others do not wait for them.
 */
export class Ledger {
  readonly #deps: { db: Db; relay: Relay };
  /** Entries by account. Those of a busy one wait for what is written of it. */
  #ready = new Map<string, Item[]>();
  readonly #behind = new Map<string, Item[]>();
  readonly #busy = new Set<string>();
  /** Entries of accounts that others hold: each account is waited for alone. */
  readonly #locked: Item[][] = [];
  #queued = 0;
  #writing = 0;
  #waiting = 0;
  #scheduled = false;
  /** Runs while what is ready waits for the group in the making. */
  #patience: NodeJS.Timeout | undefined;

  constructor(deps: { db: Db; relay: Relay }) {
    this.#deps = deps;
  }

  /**
   * Does what the entry says, once: the same again, compared by account, amount, currency and command, gets the first
   * answer and changes nothing.
   * @param options.signal an entry that nobody waits for any more is not begun
   * @param options.traceparent of the trace in which it came; default: the active one
   * @returns of Post and Settle what was booked
   * @throws ApiError as `decideEntry` and, when it cannot be done now, UNAVAILABLE
   */
  enter(
    entry: LedgerEntry,
    options: { signal?: AbortSignal; traceparent?: string } = {},
  ): Promise<Booked | undefined> {
    if (this.#queued >= QUEUED) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const traceparent = options.traceparent ?? activeTraceparent();
      const item = { entry, traceparent, since: performance.now(), signal: options.signal, resolve, reject };
      this.#queued++;
      append(this.#busy.has(entry.accountId) ? this.#behind : this.#ready, item);
      this.#schedule();
    });
  }

  /** After all that came in the same moment. */
  #schedule(): void {
    if (this.#scheduled || this.#writing >= GROUPS || this.#ready.size === 0) return;
    if (this.#writing > 0 && this.#queued < WORTH_A_GROUP) {
      this.#patience ??= setTimeout(() => this.#begin(), PATIENCE_MS);
      return;
    }
    this.#begin();
  }

  #begin(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (this.#scheduled || this.#writing >= GROUPS) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const items = this.#take();
      if (items.length > 0) void this.#write(items);
      this.#schedule();
    });
  }

  /** The next group: what is ready, the account that waits longest first. */
  #take(): Item[] {
    const group: Item[] = [];
    for (const [accountId, items] of this.#ready) {
      if (group.length >= GROUP_ENTRIES) break;
      this.#ready.delete(accountId);
      const room = GROUP_ENTRIES - group.length;
      const live = items.slice(0, room).filter((item) => this.#isWanted(item));
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

  #isWanted(item: Item): boolean {
    if (item.signal?.aborted !== true && performance.now() - item.since < QUEUED_MS) return true;
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
      else tell(item, outcomes[at]!);
    for (const { entry } of items) if (!locked.has(entry.accountId)) this.#free(entry.accountId);
    this.#locked.push(...locked.values());
    this.#wait();
    this.#schedule();
  }

  #wait(): void {
    while (this.#waiting < WAITING && this.#locked.length > 0) {
      this.#waiting++;
      void this.#writeWaiting(this.#locked.shift()!);
    }
  }

  async #writeWaiting(items: readonly Item[]): Promise<void> {
    const outcomes = await writeGroup(this.#deps, items, { wait: true });
    this.#waiting--;
    for (const [at, item] of items.entries()) tell(item, outcomes[at]!);
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

function tell({ resolve, reject }: Item, outcome: Outcome): void {
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
