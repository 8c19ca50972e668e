import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Polls until `condition` returns something other than `false`, `null` or `undefined`, and returns that. A throwing
 * condition is repeated; the failure has its last error as `cause`.
 * @param options.timeout milliseconds (default 60,000: no machine is so busy)
 * @param options.what the condition in words, for the failure
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: { timeout?: number; what: string },
): Promise<Exclude<T, false | null | undefined>> {
  const limit = options.timeout ?? 60_000;
  const deadline = performance.now() + limit;
  let failure: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined)
        return value as Exclude<T, false | null | undefined>;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline)
      throw new Error(
        `timed out after ${limit} ms waiting for: ${options.what}`,
        failure === undefined ? {} : { cause: failure },
      );
    await pause(POLL_MS);
  }
}
