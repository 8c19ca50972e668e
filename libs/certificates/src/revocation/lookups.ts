import { CLOCK_SKEW_MILLISECONDS, RENEW_MILLISECONDS, RETRY_MILLISECONDS } from './finding.ts';

/** The result of a lookup. */
export interface Loaded<T> {
  readonly value: T;
  /** Milliseconds since 1970: the result is valid before this moment. */
  readonly until: number;
  /** A failure never replaces a value that is still valid. */
  readonly isFailure: boolean;
  /** Its weight in the cache's limit. */
  readonly weight: number;
}

interface Entry<T> extends Loaded<T> {
  readonly from: number;
  readonly renewFrom: number;
}

/**
 * Caches results of lookups, each for its own validity. Concurrent lookups of a key share one load. After an hour, and in
 * the last quarter of its validity, a result is loaded again in the background, so that regular callers never wait.
 */
export class Lookups<T> {
  readonly #maxWeight: number;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #pending = new Map<string, Promise<Entry<T>>>();
  #weight = 0;

  /** Beyond `maxWeight` the oldest results are dropped. */
  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  /** The value for `key` at a time, and until when the caller may keep it without asking again. */
  async find(
    key: string,
    at: number,
    load: () => Promise<Loaded<T>>,
  ): Promise<{ readonly value: T; readonly until: number }> {
    const known = this.#entries.get(key);
    if (known && known.from <= at && at < known.until) {
      if (at < known.renewFrom) return { value: known.value, until: known.renewFrom };
      // A later call reports the error, once the entry has expired.
      if (!this.#pending.has(key)) this.#load(key, at, load).catch(() => {});
      return { value: known.value, until: known.until };
    }
    const underWay = this.#pending.get(key);
    if (!underWay) {
      const { value, renewFrom } = await this.#load(key, at, load);
      return { value, until: renewFrom };
    }
    // The load may return a cached result that has expired since.
    await underWay;
    return this.find(key, at, load);
  }

  #load(key: string, at: number, load: () => Promise<Loaded<T>>): Promise<Entry<T>> {
    const started = load()
      .then((loaded) => this.#keep(key, at, loaded))
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, started);
    return started;
  }

  #keep(key: string, at: number, loaded: Loaded<T>): Entry<T> {
    const known = this.#entries.get(key);
    const staysValid = known && !known.isFailure && known.from <= at && at < known.until;
    const entry =
      loaded.isFailure && staysValid
        ? { ...known, renewFrom: Math.min(known.until, at + RETRY_MILLISECONDS) }
        : {
            ...loaded,
            // An earlier caller gets the same answer.
            from: at - CLOCK_SKEW_MILLISECONDS,
            renewFrom: at + Math.min((loaded.until - at) * 0.75, RENEW_MILLISECONDS),
          };
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#maxWeight) break;
      this.#drop(oldest);
    }
    return entry;
  }

  #drop(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
