/** A log for replacements that cannot be used. */
export interface ErrorLog {
  error(fields: { fault: string }, message: string): void;
}

/**
 * A value that an operator may replace while the process runs. Call it for the present value, such as for each new connection.
 * @param report receives the fault of a replacement that cannot be used, once: `VARIABLE: fault`
 */
export type Reloadable<T> = (report?: (fault: string) => void) => T;

/**
 * Makes a value that `read` reads at each call. The last good value stays while a replacement cannot be read.
 * @throws the error of the first read
 */
export function reloadable<T>(read: () => T): Reloadable<T> {
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
