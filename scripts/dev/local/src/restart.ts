import { setTimeout as pause } from 'node:timers/promises';
import type { Death, Supervised } from './supervise.ts';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** A process that ran for so long has started well: the pauses begin anew. */
const STABLE_MS = 60_000;

/** Starts a process again whenever it ends, after a pause that doubles with each failed start, until `signal` fires. */
export async function restartEnded(options: {
  first: Supervised;
  start: () => Supervised;
  signal: AbortSignal;
  onDeath: (death: Death, pauseMs: number) => void;
  onStart: (started: Supervised) => void;
}): Promise<void> {
  const { start, signal, onDeath, onStart } = options;
  let running = options.first;
  for (let failures = 0; ; failures++) {
    const began = performance.now();
    const death = await running.died;
    if (performance.now() - began > STABLE_MS) failures = 0;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
    onDeath(death, pauseMs);
    await pause(pauseMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    running = start();
    onStart(running);
  }
}
