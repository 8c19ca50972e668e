import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may pipeline. */
const MOST = 16;

/** The answers of each connection that are not complete yet. */
export class OpenAnswers {
  readonly #open = new Map<Socket, Set<ServerResponse>>();
  #drained = (): void => {};

  /** Notes an answer until it is complete. @returns false where the connection has too many, and is cut */
  add(response: ServerResponse): boolean {
    const { socket } = response.req;
    const open = this.#open.get(socket) ?? this.#begin(socket);
    if (open.size >= MOST) {
      socket.destroy();
      return false;
    }
    open.add(response);
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) this.#end(socket, open);
    });
    return true;
  }

  /** Answers of a connection, oldest first. */
  of(socket: Socket): ServerResponse[] {
    return [...(this.#open.get(socket) ?? [])];
  }

  /** Resolves when every answer is complete. */
  async drained(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #begin(socket: Socket): Set<ServerResponse> {
    const open = new Set<ServerResponse>();
    this.#open.set(socket, open);
    // Node closes only the answer whose turn it is.
    socket.once('close', () => {
      for (const response of open) response.destroy();
      this.#end(socket, open);
    });
    return open;
  }

  #end(socket: Socket, open: Set<ServerResponse>): void {
    if (this.#open.get(socket) === open) this.#open.delete(socket);
    if (this.#open.size === 0) this.#drained();
  }
}
