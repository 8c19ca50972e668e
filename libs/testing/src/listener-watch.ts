import { type Listener, listenersOf } from './listeners.ts';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/;

/** Looks at the listeners of a tree of processes again and again. */
export interface ListenerWatch {
  /** Ends it. @returns a sentence for each listener that was open to the network */
  stop(): string[];
}

/**
 * Watches whether a process, or one that it started, listens on anything but the loopback address.
 * @param options.look lists the listeners; default: those of this process and of what it started
 * @param options.everyMs between two looks (default 500)
 */
export function watchListeners(
  options: { look?: () => readonly Listener[]; everyMs?: number } = {},
): ListenerWatch {
  const { look = () => listenersOf(process.pid), everyMs = 500 } = options;
  const found = new Map<string, string>();
  const note = (): void => {
    for (const { pid, program, address, port } of look())
      if (!LOOPBACK.test(address))
        found.set(
          `${pid} ${address} ${port}`,
          `${program} (process ${pid}) listened on ${address}, port ${port}: only the loopback address may be used`,
        );
  };
  const timer = setInterval(note, everyMs).unref();
  return {
    stop() {
      clearInterval(timer);
      note();
      return [...found.values()];
    },
  };
}
