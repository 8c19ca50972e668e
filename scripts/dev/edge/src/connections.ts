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
   * Admits a connection. When the edge is full, it cuts the oldest unfinished handshake: of the same address if that address
   * has all its connections, else of the address with most of them. Without one it cuts the new connection.
   */
  admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const all = [...this.#open.values()];
    const own = all.filter((connection) => connection.address === address);
    const key = keyOf(socket);
    const connection = { socket, address, secured: false };
    this.#open.set(key, connection);
    socket.once('close', () => {
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
    if (own.length >= this.#limits.perAddress) this.#cutOne(own, socket);
    else if (all.length >= this.#limits.inAll) this.#cutOne(all, socket);
  }

  /** Marks the handshake of a connection as complete: the edge does not cut it for another one any more. */
  secure(socket: Socket): void {
    const connection = this.#open.get(keyOf(socket));
    if (connection !== undefined) connection.secured = true;
  }

  /** Ends every connection now. */
  cut(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #cutOne(among: readonly Connection[], latest: Socket): void {
    const byAddress = Map.groupBy(
      among.filter(({ secured }) => !secured),
      ({ address }) => address,
    );
    const [most] = [...byAddress.values()].toSorted((one, other) => other.length - one.length);
    const victim = most?.[0]?.socket ?? latest;
    this.#open.delete(keyOf(victim));
    victim.resetAndDestroy();
  }
}

/** Both ends of a connection. Its TCP socket and its TLS socket share them. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`;
