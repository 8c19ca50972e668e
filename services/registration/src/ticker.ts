import { type Closable, describeError, type Logger } from '@kontoport/runtime';

/** Runs `work` every `intervalMs` milliseconds, and at once when woken; never twice at a time. */
export class Ticker implements Closable {
  readonly #options: { name: string; intervalMs: number; logger: Logger; work: () => Promise<void> };
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #woken = false;
  #failing = false;
  #closed = false;

  constructor(options: { name: string; intervalMs: number; logger: Logger; work: () => Promise<void> }) {
    this.#options = options;
    this.wake();
  }

  /** Runs the work now; when it is running already, once more after that. */
  wake(): void {
    if (this.#closed) return;
    this.#woken = true;
    this.#running ??= this.#run();
  }

  /** Waits for the run in progress; none follows. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#woken && !this.#closed && (await this.#attempt()));
    this.#running = undefined;
    if (!this.#closed) this.#timer = setTimeout(() => this.wake(), this.#options.intervalMs);
  }

  /** A failure ends the run, so that a database that is away is asked once per interval only. */
  async #attempt(): Promise<boolean> {
    const { name, logger, work } = this.#options;
    this.#woken = false;
    try {
      await work();
      if (this.#failing) logger.info({ loop: name }, 'works again');
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing) logger.error({ loop: name, error: describeError(error) }, 'fails, and goes on');
      this.#failing = true;
      return false;
    }
  }
}
