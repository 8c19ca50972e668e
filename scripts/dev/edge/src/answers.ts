import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that are with the services at the same time. */
const AT_ONCE = 4;
/** Pipelined requests that may wait behind them. */
const WAITING = 64;

interface Lane {
  running: Set<ServerResponse>;
  waiting: { response: ServerResponse; work: () => void }[];
}

/** The answers that are not complete yet: a few of each connection at once, pipelined ones after one another. */
export class OpenAnswers {
  readonly #lanes = new Map<Socket, Lane>();
  #drained = (): void => {};

  /** Does `work` when its turn comes, unless the connection ends before. A connection with too much waiting is cut. */
  run(response: ServerResponse, work: () => void): void {
    const { socket } = response.req;
    const lane = this.#laneOf(socket);
    if (lane.waiting.length >= WAITING) socket.destroy();
    else if (lane.running.size >= AT_ONCE) lane.waiting.push({ response, work });
    else this.#begin(lane, { response, work });
  }

  /** Answers of a connection, oldest first. */
  of(socket: Socket): ServerResponse[] {
    const lane = this.#lanes.get(socket);
    return lane === undefined ? [] : [...lane.running, ...lane.waiting.map(({ response }) => response)];
  }

  /** Resolves when every answer is complete. */
  async drained(): Promise<void> {
    if (this.#lanes.size > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #begin(lane: Lane, { response, work }: Lane['waiting'][number]): void {
    const { socket } = response.req;
    lane.running.add(response);
    response.once('close', () => {
      lane.running.delete(response);
      const next = lane.waiting.shift();
      if (next !== undefined) this.#begin(lane, next);
      else if (lane.running.size === 0) this.#end(socket);
    });
    work();
  }

  #laneOf(socket: Socket): Lane {
    const known = this.#lanes.get(socket);
    if (known !== undefined) return known;
    const lane: Lane = { running: new Set(), waiting: [] };
    this.#lanes.set(socket, lane);
    // Answers that wait for their turn on the connection do not hear of its end.
    socket.once('close', () => {
      lane.waiting = [];
      for (const answer of lane.running) answer.destroy();
      this.#end(socket);
    });
    return lane;
  }

  #end(socket: Socket): void {
    this.#lanes.delete(socket);
    if (this.#lanes.size === 0) this.#drained();
  }
}
