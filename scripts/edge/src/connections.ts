import type { Socket } from 'node:net';
import { Tally } from '@kontoport/runtime';

export interface ConnectionLimits {
  /** From one remote address. */
  perAddress: number;
  inAll: number;
  /** Told of each connection that was one too many. */
  onCut?: (cut: { remoteAddress: string; open: number }) => void;
}

/** The open connections of all addresses, whatever becomes of them: a TLS handshake that never ends is one, too. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Set<Socket>();
  readonly #perAddress = new Tally();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes note of a connection; one too many is cut, for nothing can be answered before the handshake. */
  admit(socket: Socket): 'admitted' | 'one too many' {
    const address = socket.remoteAddress ?? '';
    if (this.#perAddress.of(address) >= this.#limits.perAddress || this.#open.size >= this.#limits.inAll) {
      socket.resetAndDestroy();
      this.#limits.onCut?.({ remoteAddress: address, open: this.#open.size });
      return 'one too many';
    }
    this.#open.add(socket);
    this.#perAddress.add(address, 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#perAddress.add(address, -1);
    });
    return 'admitted';
  }

  /** Ends every connection now. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
