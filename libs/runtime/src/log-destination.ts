import { fstatSync, write } from 'node:fs';
import { Socket } from 'node:net';

/** Where log lines go, without ever holding up or ending the process that logs. */
export interface LogDestination {
  /** Takes a line with its end, or drops it when too much waits already. */
  write(line: string): void;
  /** Resolves when everything is out, or after `limitMs`: a reader may have stopped reading. */
  flush(limitMs: number): Promise<void>;
}

/** Characters that may wait for a slow reader or disk; beyond them lines are dropped and counted. */
const MAX_WAITING = 1 << 20;
/** What is written at once. */
const CHUNK = 64 * 1024;
/** A disk that is full is tried again with the next lines, but not more often. */
const RETRY_MS = 1_000;

/** Writes one chunk; the callback may come late, or never when nobody reads. */
type Writer = (chunk: string, done: (error?: Error | null) => void) => void;

/**
 * Opens a file descriptor for logging. Whatever becomes of the reader or the disk, `write` returns at once and nothing
 * is thrown; what had to be dropped is told by a line as soon as lines go out again.
 * @param options.notice makes that line
 */
export function openLogDestination(options: {
  fd: number;
  notice: (dropped: number) => string;
}): LogDestination {
  const { fd, notice } = options;
  const writer = writerOf(fd);
  const waiting: string[] = [];
  const idle: (() => void)[] = [];
  let size = 0;
  let dropped = 0;
  let writing = false;

  const next = (): void => {
    if (dropped > 0 && size < MAX_WAITING / 2) {
      add(notice(dropped));
      dropped = 0;
    }
    if (waiting.length === 0) {
      writing = false;
      for (const resolve of idle.splice(0)) resolve();
      return;
    }
    writing = true;
    const lines = takeChunk(waiting);
    const chunk = lines.join('');
    writer(chunk, (error) => {
      size -= chunk.length;
      if (!error) return next();
      dropped += lines.length;
      setTimeout(next, RETRY_MS).unref();
    });
  };
  const add = (line: string): void => {
    waiting.push(line);
    size += line.length;
  };

  return {
    write(line) {
      if (size + line.length > MAX_WAITING) {
        dropped += 1;
        return;
      }
      add(line);
      if (!writing) next();
    },
    async flush(limitMs) {
      if (!writing && waiting.length === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
      await Promise.race([new Promise<void>((resolve) => idle.push(resolve)), late]);
      clearTimeout(timer);
    },
  };
}

/** Takes lines off the front, as many as make a chunk, but one at least. */
function takeChunk(waiting: string[]): string[] {
  let size = 0;
  const end = waiting.findIndex((line, at) => (size += line.length) > CHUNK && at > 0);
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

function writerOf(fd: number): Writer {
  try {
    const kind = fstatSync(fd);
    // A write into a full pipe would hold a thread, and with it the end of the process; a socket only waits.
    return kind.isFIFO() || kind.isSocket() ? pipeWriter(fd) : fileWriter(fd);
  } catch {
    return (_chunk, done) => done();
  }
}

function pipeWriter(fd: number): Writer {
  const socket = new Socket({ fd, readable: false, writable: true });
  // A reader that has gone does not come back; what is logged from then on is for nobody.
  socket.on('error', () => {});
  socket.unref();
  return (chunk, done) => {
    if (socket.destroyed) return done();
    socket.write(chunk, done);
  };
}

function fileWriter(fd: number): Writer {
  return (chunk, done) => {
    const bytes = Buffer.from(chunk);
    const from = (at: number): void =>
      write(fd, bytes, at, bytes.length - at, null, (error, written) => {
        if (error) done(error);
        else if (at + written < bytes.length) from(at + written);
        else done();
      });
    from(0);
  };
}
