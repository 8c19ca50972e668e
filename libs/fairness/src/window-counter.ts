/** The count of a key in its present window. */
export interface Window {
  count: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/**
 * Counts events by key in windows of equal length, each from the first event of its key. Memory is bounded: beyond `maxKeys` the
 * window that began first is forgotten.
 */
export class WindowCounter {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  /** Oldest first, since all windows are equally long. */
  readonly #windows = new Map<string, Window>();

  constructor(options: { windowMs: number; maxKeys?: number }) {
    this.#windowMs = options.windowMs;
    this.#maxKeys = options.maxKeys ?? 10_000;
  }

  /** Keys that are counted, ended windows of which no key was counted since included. */
  get size(): number {
    return this.#windows.size;
  }

  /** Finds the window of a key; undefined when nothing was counted in it yet. */
  find(key: string, now: Date): Readonly<Window> | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > now.getTime() ? window : undefined;
  }

  /** Counts one event. @returns the window with it */
  count(key: string, now: Date): Readonly<Window> {
    this.#forgetEnded(now);
    const known = this.#windows.get(key);
    if (known !== undefined) {
      known.count += 1;
      return known;
    }
    if (this.#windows.size >= this.#maxKeys) this.#windows.delete(this.#windows.keys().next().value!);
    const window = { count: 1, endsAt: now.getTime() + this.#windowMs };
    this.#windows.set(key, window);
    return window;
  }

  #forgetEnded(now: Date): void {
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now.getTime()) return;
      this.#windows.delete(key);
    }
  }
}

/** Whole seconds until a window ends, as `Retry-After` wants them. */
export function secondsLeft({ endsAt }: Readonly<Window>, now: Date): number {
  return Math.ceil((endsAt - now.getTime()) / 1_000);
}
