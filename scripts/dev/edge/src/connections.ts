import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** From one remote address. */
  perAddress: number;
  inAll: number;
}

interface Connection {
  socket: Socket;
  address: string;
  /** Whether its TLS handshake is complete. */
  secured: boolean;
}

/** The open connections of all addresses, oldest first. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<string, Connection>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * Admits a connection. When the edge is full, the oldest unfinished handshake gives way: of the same address where that
   * has all its connections, else of the address with most of them. Without one the newcomer is cut.
   */
  admit(socket: Socket): 'admitted' | 'cut' {
    const address = socket.remoteAddress ?? '';
    const all = [...this.#open.values()];
    const own = all.filter((connection) => connection.address === address);
    const crowd = own.length >= this.#limits.perAddress ? own : all;
    if (own.length >= this.#limits.perAddress || all.length >= this.#limits.inAll) {
      const victim = oldestOfMost(crowd)?.socket ?? socket;
      this.#open.delete(keyOf(victim));
      victim.resetAndDestroy();
      if (victim === socket) return 'cut';
    }
    const key = keyOf(socket);
    const connection = { socket, address, secured: false };
    this.#open.set(key, connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
    return 'admitted';
  }

  /** Marks the handshake of a connection as complete; it gives way to nobody any more. */
  secure(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection !== undefined) connection.secured = true;
  }

  /** Ends every connection now. */
  cut(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }
}

/** Both ends of a connection, which its TCP and its TLS socket share. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;

/** Finds the oldest unfinished handshake of the address that has most of them. */
function oldestOfMost(connections: readonly Connection[]): Connection | undefined {
  const byAddress = Map.groupBy(
    connections.filter(({ secured }) => !secured),
    ({ address }) => address,
  );
  return [...byAddress.values()].toSorted((one, other) => other.length - one.length)[0]?.[0];
}
