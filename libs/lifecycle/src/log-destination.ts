import { pino } from 'pino';

/** Bytes that may wait for a slow reader or disk; beyond them lines are dropped and counted. */
const MAX_WAITING = 1 << 20;

/** Where log lines go, without ever holding up or ending the process that logs. */
export interface LogDestination {
  /** Takes a line with its end, or drops it when too much waits already. */
  write(line: string): void;
  /** Resolves when everything is out, or after `limitMs`, when the reader has stopped reading. Nothing is logged after it. */
  close(limitMs: number): Promise<void>;
}

/**
 * Opens the standard output for logging. Whatever becomes of the reader or the disk, `write` returns at once and nothing
 * is thrown; a line tells how many lines were dropped as soon as lines go out again.
 * @param notice makes that line
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
    const told = notice(dropped);
    dropped = 0;
    output.write(told);
  });
  // What the disk did not take is tried again with the next line.
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
      // Else pino would go on trying as the process exits, for ever where nobody reads.
      open = false;
      output.destroy();
    },
  };
}
