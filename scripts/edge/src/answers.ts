import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may be open at the same time: more than any client pipelines. */
const MOST_PER_CONNECTION = 64;

/** The answers that are not complete yet. */
export class OpenAnswers {
  readonly #bySocket = new Map<Socket, Set<ServerResponse>>();
  #drained = (): void => {};

  /** Adds an answer; a connection with too many of them is cut. */
  add(response: ServerResponse): 'added' | 'cut' {
    const { socket } = response.req;
    const answers = this.of(socket);
    if (answers.size >= MOST_PER_CONNECTION) {
      socket.destroy();
      return 'cut';
    }
    if (answers.size === 0) {
      this.#bySocket.set(socket, answers);
      // Answers that wait for their turn on the connection do not hear of its end.
      socket.once('close', () => {
        for (const answer of answers) answer.destroy();
        this.#end(socket, answers);
      });
    }
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) this.#end(socket, answers);
    });
    return 'added';
  }

  of(socket: Socket): Set<ServerResponse> {
    return this.#bySocket.get(socket) ?? new Set();
  }

  /** Resolves when every answer is complete. */
  async drained(): Promise<void> {
    if (this.#bySocket.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #end(socket: Socket, answers: Set<ServerResponse>): void {
    if (this.#bySocket.get(socket) === answers) this.#bySocket.delete(socket);
    if (this.#bySocket.size === 0) this.#drained();
  }
}
