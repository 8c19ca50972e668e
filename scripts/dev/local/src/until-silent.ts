import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const WATCH_MS = 2_000;
const MISSES = 3;

/**
 * Whether a connection to a loopback port is refused. Anything else that goes wrong is our own trouble, such as a
 * process that is out of file descriptors, and says nothing about who listens.
 */
async function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const tell = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => tell(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => tell(code === 'ECONNREFUSED'));
  });
}

/** Resolves once nobody listens on the port any more, looking `every` milliseconds; never after `signal` fires. */
export async function untilSilent(options: {
  port: number;
  signal: AbortSignal;
  every?: number;
}): Promise<void> {
  const { port, signal, every = WATCH_MS } = options;
  for (let misses = 0; misses < MISSES && !signal.aborted;) {
    await pause(every, undefined, { ref: false });
    misses = (await isRefused(port)) ? misses + 1 : 0;
  }
  if (signal.aborted) await new Promise<never>(() => {});
}
