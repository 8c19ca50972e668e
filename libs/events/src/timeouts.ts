/**
 * Milliseconds that shutdown waits for each request to a broker that may never answer. Several such waits fit into the time that a
 * part of a service has for its shutdown.
 */
export const CLOSE_LIMIT_MS = 3_000;

/** Resolves with whether `work` ends in time; rejects with it. A later result is ignored. */
export async function withTimeout(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits for the work until the signal is aborted. A later result is ignored.
 * @throws the signal's reason
 */
export function abortable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Waits for the work, and for at most 3 s once the signal is aborted. A later result is ignored.
 * @throws Error after the 3 s
 */
export async function withCloseLimit<T>(closing: AbortSignal, work: () => Promise<T>): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const startTimer = (): void => {
    timer = setTimeout(
      () => late.abort(new Error('the broker did not answer during shutdown')),
      CLOSE_LIMIT_MS,
    );
  };
  if (closing.aborted) startTimer();
  else closing.addEventListener('abort', startTimer, { once: true });
  try {
    return await abortable(late.signal, work);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', startTimer);
  }
}
