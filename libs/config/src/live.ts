/** A log that hears of a replacement that cannot be used. */
export interface ErrorLog {
  error(fields: { fault: string }, message: string): void;
}

/**
 * A value that others may replace while the process runs: whoever opens a connection asks for the present one.
 * @param report hears of a replacement that cannot be used, once; `VARIABLE: what is wrong with it`
 */
export type LiveValue<T> = (report?: (fault: string) => void) => T;

/**
 * A value that is read anew each time it is asked for; while a replacement cannot be read the last good one stays.
 * @throws what the first reading throws
 */
export function live<T>(read: () => T): LiveValue<T> {
  let last = read();
  let reported: string | undefined;
  return (report) => {
    try {
      last = read();
      reported = undefined;
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      if (fault !== reported) report?.(fault);
      reported = fault;
    }
    return last;
  };
}
