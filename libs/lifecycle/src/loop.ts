import { toApiError } from '@kontoport/errors';
import { durationHistogram } from '@kontoport/telemetry';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import type { Closable } from './lifecycle.ts';
import { describeError, type Logger } from './logger.ts';

const runs = durationHistogram({
  name: 'kontoport.loop.run.duration',
  help: 'Duration of runs of background loops, by loop and outcome.',
});

/** A run has no trace, whatever woke the loop, and its polls make no spans. The work that it finds continues or begins a trace. */
const OF_NO_TRACE = suppressTracing(ROOT_CONTEXT);

/** The work of a loop and its pauses, in milliseconds. */
export interface LoopOptions {
  /** Name in logs and metrics, from a closed list. */
  name: string;
  /** The pause after a run. */
  everyMs: number;
  /** The pause after a failed run; it doubles from `first` to `longest` with every failure in a row. Default: `everyMs`. */
  retryMs?: { first: number; longest: number };
  /**
   * One run. May resolve to the pause that follows instead of `everyMs`: 0 goes on at once. `signal` is aborted when
   * the loop is closed; a run in progress is waited for.
   */
  work: (signal: AbortSignal) => Promise<number | void> | number | void;
  /** Runs once after the last run, when the loop is closed. */
  finish?: () => Promise<void>;
  logger: Logger;
}

/**
 * Repeats work in the background: at once when started, again after each pause and when woken, never twice at a time.
 * A failure is logged once per outage and ends nothing. It does not run before `start`.
 * @example
 * const sweep = new Loop({ name: 'sweep', everyMs: 60_000, work: () => store.sweep(new Date()), logger });
 */
export class Loop implements Closable {
  readonly name: string;
  readonly #options: LoopOptions;
  readonly #closing = new AbortController();
  #started = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #finished: Promise<void> | undefined;
  #woken = false;
  #failures = 0;

  constructor(options: LoopOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Starts with the first run. A closed loop stays closed. */
  start(): void {
    if (this.#started || this.#closing.signal.aborted) return;
    this.#started = true;
    this.#begin();
  }

  /**
   * Runs the work now, or once more after the run in progress. After a failure the pause is kept: a wake-up means that there is
   * work, not that an outage is over.
   */
  wake(): void {
    if (!this.#started || this.#closing.signal.aborted) return;
    this.#woken = true;
    if (this.#failures === 0) this.#begin();
  }

  /** Waits for the run in progress and for `finish`, whose failure is logged. No run follows. */
  close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    return (this.#finished ??= this.#end());
  }

  async #end(): Promise<void> {
    await this.#running;
    if (!this.#started) return;
    try {
      await this.#options.finish?.();
    } catch (error) {
      this.#report(error, 'loop did not finish');
    }
  }

  #begin(): void {
    if (this.#running !== undefined) return;
    clearTimeout(this.#timer);
    this.#running = context.with(OF_NO_TRACE, () => this.#run());
  }

  async #run(): Promise<void> {
    let pauseMs: number;
    do {
      this.#woken = false;
      pauseMs = await this.#attempt();
    } while (!this.#closing.signal.aborted && (pauseMs === 0 || (this.#woken && this.#failures === 0)));
    this.#running = undefined;
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.#begin(), pauseMs);
  }

  /** Runs once. @returns the pause that follows */
  async #attempt(): Promise<number> {
    const { name, everyMs, work, logger } = this.#options;
    const started = performance.now();
    try {
      const pauseMs = (await work(this.#closing.signal)) ?? everyMs;
      runs.since(started, { 'kontoport.loop': name, outcome: 'done' });
      if (this.#failures > 0) logger.info({ loop: name, failures: this.#failures }, 'loop recovered');
      this.#failures = 0;
      return pauseMs;
    } catch (error) {
      runs.since(started, { 'kontoport.loop': name, outcome: 'failed' });
      // Log an outage once.
      if (this.#failures++ === 0) this.#report(error, 'loop failed, will retry');
      const { first, longest } = this.#options.retryMs ?? { first: everyMs, longest: everyMs };
      return Math.min(first * 2 ** (this.#failures - 1), longest);
    }
  }

  #report(error: unknown, what: string): void {
    const { name, logger } = this.#options;
    const level = toApiError(error).code === 'UNAVAILABLE' ? 'warn' : 'error';
    logger[level]({ loop: name, error: describeError(error) }, what);
  }
}
