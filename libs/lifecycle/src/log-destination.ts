import { pino } from 'pino';

/** Bytes buffered for a slow reader or disk. Further lines are dropped and counted. */
const MAX_WAITING = 1 << 20;

/** The output of the log. It never blocks or ends the process. */
export interface LogDestination {
  /** Writes a line with its end, or drops it when the buffer is full. */
  write(line: string): void;
  /** Resolves when everything is written, or after `limitMs` if the reader has stopped reading. Nothing is logged after it. */
  close(limitMs: number): Promise<void>;
}

/**
 * Opens the standard output for logging. Whatever happens to the reader or the disk, `write` returns at once and nothing is
 * thrown. As soon as lines are written again, a notice reports how many were dropped.
 * @param notice makes the line of the notice
 */
export function openLogDestination(notice: (dropped: number) => string): LogDestination {
  let dropped = 0;
  let open = true;
  // Node makes the pipe non-blocking with process.stdout: a write to a full pipe is tried again and holds no thread. With
  // `minLength` 0 `flush` would wait for nothing.
  const output = pino.destination({
    dest: process.stdout.fd,
    sync: false,
    minLength: 1,
    maxLength: MAX_WAITING,
  });
  output.on('drop', () => (dropped += 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    const line = notice(dropped);
    dropped = 0;
    output.write(line);
  });
  // pino retries what the disk did not take with the next line.
  output.on('error', () => {});
  return {
    write(line) {
      if (open) output.write(line);
    },
    async close(limitMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
      await Promise.race([new Promise<void>((resolve) => output.flush(() => resolve())), late]);
      clearTimeout(timer);
      // Otherwise pino would retry at exit, for ever without a reader.
      open = false;
      output.destroy();
    },
  };
}
