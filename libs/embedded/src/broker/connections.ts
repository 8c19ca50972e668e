import type { Socket } from 'node:net';

/** How many connections there may be, and how long one may be silent, in milliseconds. */
export interface ConnectionLimits {
  connections: number;
  /** From the connecting to the first complete request. */
  firstRequestMs: number;
  /** From one answer to the next complete request. */
  idleMs: number;
}

/** An admitted connection. */
export interface Connection {
  readonly socket: Socket;
  /** Runs the answering of one request, during which the connection is not silent. */
  during<T>(answering: () => Promise<T>): Promise<T>;
}

interface Silence {
  /** When it began; nothing while a request is answered. */
  since: number | undefined;
  limitMs: number;
}

/**
 * The connections of a broker. Silent ones are closed, bytes of an unfinished request count as silence; where there is
 * no room for a new one, the one that has been silent for the longest time gives way. So whoever only holds
 * connections can keep nobody out who uses theirs.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** The longest silence first. */
  readonly #open = new Map<Socket, Silence>();
  readonly #sweep: NodeJS.Timeout;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    this.#sweep = setInterval(() => this.#closeSilent(), Math.min(1_000, limits.firstRequestMs)).unref();
  }

  /** Takes note of the connection; without room, and nobody silent to give way, it is closed at once. */
  admit(socket: Socket): Connection | undefined {
    if (this.#open.size >= this.#limits.connections) {
      const silent = [...this.#open].find(([, { since }]) => since !== undefined)?.[0];
      if (silent === undefined) {
        socket.destroy();
        return undefined;
      }
      this.#drop(silent);
    }
    this.#open.set(socket, { since: performance.now(), limitMs: this.#limits.firstRequestMs });
    socket.once('close', () => this.#open.delete(socket));
    return {
      socket,
      during: async (answering) => {
        this.#note(socket, undefined);
        try {
          return await answering();
        } finally {
          this.#note(socket, performance.now());
        }
      },
    };
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const socket of this.#open.keys()) this.#drop(socket);
  }

  /** Put behind all others: its silence is the shortest now. */
  #note(socket: Socket, since: number | undefined): void {
    if (!this.#open.delete(socket)) return;
    this.#open.set(socket, { since, limitMs: this.#limits.idleMs });
  }

  #closeSilent(): void {
    const now = performance.now();
    for (const [socket, { since, limitMs }] of this.#open)
      if (since !== undefined && now - since >= limitMs) this.#drop(socket);
  }

  #drop(socket: Socket): void {
    this.#open.delete(socket);
    socket.destroy();
  }
}
