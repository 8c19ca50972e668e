/**
 * Who leaves waits no longer than this, in milliseconds, for each thing that a broker is to be told: it may be behind a network that swallows
 * everything, and finds out by itself. Several of them fit into the time that a part of a service has for closing.
 */
export const CLOSE_LIMIT_MS = 3_000;

/** Whether `work` ends in time; rejects with it. What it does later concerns nobody. */
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
 * The work, as long as the signal is not aborted; what it does later concerns nobody.
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
 * The work, for as long as it takes, and 3 s once the signal is aborted; what it does later concerns nobody.
 * @throws Error when it is given up
 */
export async function withCloseLimit<T>(closing: AbortSignal, work: () => Promise<T>): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    timer = setTimeout(() => late.abort(new Error('not answered while we left')), CLOSE_LIMIT_MS);
  };
  if (closing.aborted) leave();
  else closing.addEventListener('abort', leave, { once: true });
  try {
    return await abortable(late.signal, work);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', leave);
  }
}
