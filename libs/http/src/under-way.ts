import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { countUnderWay } from './request-metrics.ts';

/** The answers of a server that are under way: of each connection, in the order of their requests. */
export class UnderWay {
  readonly #answers = new Map<Duplex, Set<ServerResponse>>();
  /** Connections whose last answer is under way, and says so. */
  readonly #ending = new WeakSet<Duplex>();
  #isClosing = false;

  /** @returns false for a request behind an answer that says it is the last: nobody must hear it (RFC 9112 §9.6) */
  begin(socket: Duplex, response: ServerResponse): boolean {
    if (this.#ending.has(socket)) return false;
    const answers = this.#answers.get(socket) ?? this.#open(socket);
    answers.add(response);
    countUnderWay(1);
    response.on('close', () => {
      if (answers.delete(response)) countUnderWay(-1);
    });
    if (this.#isClosing) this.#sayLast(socket, response);
    return true;
  }

  isAnswering(socket: Duplex): boolean {
    return (this.#answers.get(socket)?.size ?? 0) > 0;
  }

  /** Whether an answer is whole and has not left yet: Node takes its connection for one that idles. */
  get isLeaving(): boolean {
    return [...this.#answers.values()].some((answers) => [...answers].some((answer) => answer.writableEnded));
  }

  /** From now on each connection ends with the last answer that is under way, or where there is none with the next one. */
  close(): void {
    this.#isClosing = true;
    for (const [socket, answers] of this.#answers) {
      const last = [...answers].at(-1);
      if (last !== undefined) this.#sayLast(socket, last);
    }
  }

  #open(socket: Duplex): Set<ServerResponse> {
    const answers = new Set<ServerResponse>();
    this.#answers.set(socket, answers);
    socket.once('close', () => this.#answers.delete(socket));
    return answers;
  }

  #sayLast(socket: Duplex, answer: ServerResponse): void {
    // What its header has said cannot be taken back.
    if (answer.headersSent) return;
    answer.shouldKeepAlive = false;
    this.#ending.add(socket);
  }
}
