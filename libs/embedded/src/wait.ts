import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Waits until `condition` gives something other than `false`, `null` or `undefined`, and hands that back.
 * A condition that throws is tried again; its last error is named when the time is over.
 * @param options.timeout milliseconds (default 60,000: no machine is so busy)
 * @param options.what what is waited for, in words for the failure
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
        `waited ${limit} ms for ${options.what}`,
        failure === undefined ? {} : { cause: failure },
      );
    await pause(POLL_MS);
  }
}
