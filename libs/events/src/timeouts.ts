/**
 * Milliseconds that closing waits for each request to a broker. The network may swallow everything, and the broker notices by itself that
 * we are gone. Several such waits fit into the time that a part of a service has for closing.
 */
export const CLOSE_LIMIT_MS = 3_000;

/** Says whether `work` ends in time; rejects with it. A later result is ignored. */
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
