import { type Listener, listenersAmong, listeningSockets, type ListeningSockets } from './listeners.ts';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/;

/** Watches the listeners of a tree of processes. */
export interface ListenerWatch {
  /** Ends it. @returns a sentence for each listener that was open to the network */
  stop(): string[];
}

/**
 * Watches whether a process or its descendants listen on another address than loopback.
 * @param options.sockets reads the listening sockets of the machine
 * @param options.among selects sockets; default: those of this process and its descendants
 * @param options.everyMs interval (default 500)
 */
export function watchListeners(
  options: {
    sockets?: () => ListeningSockets;
    among?: (sockets: ListeningSockets) => readonly Listener[];
    everyMs?: number;
  } = {},
): ListenerWatch {
  const { sockets = listeningSockets, everyMs = 500 } = options;
  const { among = (open: ListeningSockets) => listenersAmong(open, process.pid) } = options;
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const note = (): void => {
    // Searches all processes only for a new socket: each search takes a twentieth of a core at this interval.
    const fresh = [...sockets()].filter(
      ([socket, { address, port }]) => !LOOPBACK.test(address) && !seen.has(`${socket} ${address} ${port}`),
    );
    if (fresh.length === 0) return;
    for (const [socket, { address, port }] of fresh) seen.add(`${socket} ${address} ${port}`);
    for (const { pid, program, address, port } of among(new Map(fresh)))
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
