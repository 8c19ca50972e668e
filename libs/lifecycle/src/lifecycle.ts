import { describeError } from './logger.ts';

/** Something that was opened and must be closed; `close` lets work in flight finish. */
export interface Closable {
  close(): Promise<void>;
}

/** Longer than any part drains, and short enough to leave the others some of an orchestrator's 30 s. */
const CLOSE_LIMIT_MS = 12_000;

/** Collects what a service opens, and closes it in reverse order. */
export class Lifecycle {
  readonly #open: { name: string; close: () => Promise<void> }[] = [];
  readonly #closeLimitMs: number;

  /** @param options.closeLimitMs milliseconds after which a part that does not close is left alone (default 12,000) */
  constructor(options: { closeLimitMs?: number } = {}) {
    this.#closeLimitMs = options.closeLimitMs ?? CLOSE_LIMIT_MS;
  }

  /** Registers a resource and returns it. */
  own<T extends Closable>(name: string, resource: T): T {
    this.#open.push({ name, close: () => resource.close() });
    return resource;
  }

  /** Registers a resource that is still opening and returns the promise. Closing waits until it is open, or has failed. */
  ownOpening<T extends Closable>(name: string, opening: Promise<T>): Promise<T> {
    this.#open.push({
      name,
      close: async () => {
        const opened = await opening.catch(() => undefined);
        await opened?.close();
      },
    });
    return opening;
  }

  /** Closes everything, last opened first; a part that fails or hangs does not keep the others open. */
  async close(logger: { error(fields: object, message: string): void }): Promise<void> {
    for (const { name, close } of this.#open.splice(0).toReversed()) {
      try {
        if ((await within(close(), this.#closeLimitMs)) === 'late')
          logger.error({ resource: name, limitMs: this.#closeLimitMs }, 'closing took too long');
      } catch (error) {
        logger.error({ error: describeError(error), resource: name }, 'close failed');
      }
    }
  }
}

async function within(work: Promise<void>, limitMs: number): Promise<'done' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs);
  });
  try {
    return await Promise.race([work.then(() => 'done' as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
