import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { countInFlight } from './request-metrics.ts';

/** The responses of a server that are in flight, by connection, in the order of their requests. */
export class InFlightResponses {
  readonly #responses = new Map<Duplex, Set<ServerResponse>>();
  /** Connections whose last response is in flight and carries `Connection: close`. */
  readonly #ending = new WeakSet<Duplex>();
  #isClosing = false;

  /**
   * Adds a response.
   * @returns false for a request after a response with `Connection: close`, which must not be processed (RFC 9112 §9.6)
   */
  begin(socket: Duplex, response: ServerResponse): boolean {
    if (this.#ending.has(socket)) return false;
    const responses = this.#responses.get(socket) ?? this.#open(socket);
    responses.add(response);
    countInFlight(1);
    response.on('close', () => {
      if (responses.delete(response)) countInFlight(-1);
    });
    if (this.#isClosing) this.#markLast(socket, response);
    return true;
  }

  isAnswering(socket: Duplex): boolean {
    return (this.#responses.get(socket)?.size ?? 0) > 0;
  }

  /** Whether a complete response is not sent yet. Node counts its connection as idle. */
  get isLeaving(): boolean {
    return [...this.#responses.values()].some((responses) =>
      [...responses].some((answer) => answer.writableEnded),
    );
  }

  /** Ends each connection with its last response in flight, or with its next one where there is none. */
  close(): void {
    this.#isClosing = true;
    for (const [socket, responses] of this.#responses) {
      const last = [...responses].at(-1);
      if (last !== undefined) this.#markLast(socket, last);
    }
  }

  #open(socket: Duplex): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#responses.set(socket, responses);
    socket.once('close', () => this.#responses.delete(socket));
    return responses;
  }

  #markLast(socket: Duplex, answer: ServerResponse): void {
    // The header is sent and cannot change.
    if (answer.headersSent) return;
    answer.shouldKeepAlive = false;
    this.#ending.add(socket);
  }
}
