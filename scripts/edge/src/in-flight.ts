import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that are with the services at the same time. */
const AT_ONCE = 4;
/** Pipelined requests that may wait behind them. */
const WAITING = 64;

interface Lane {
  running: number;
  waiting: (() => void)[];
}

/** The requests that are being answered: a few of each connection at once, pipelined ones after one another. */
export class InFlight {
  readonly #lanes = new WeakMap<Socket, Lane>();
  readonly #drained: (() => void)[] = [];
  #running = 0;

  /** Whether something of a connection is being answered. */
  isBusy(socket: Socket): boolean {
    return (this.#lanes.get(socket)?.running ?? 0) > 0;
  }

  /**
   * Does `work` when its turn comes, unless the connection ends before. A connection that asks for much more than it
   * reads the answers of is cut.
   */
  run(response: ServerResponse, work: () => void): void {
    const { socket } = response.req;
    const lane = this.#laneOf(socket);
    if (lane.waiting.length >= WAITING) {
      socket.destroy();
      return;
    }
    const begin = (): void => {
      lane.running += 1;
      this.#running += 1;
      response.once('close', () => this.#end(socket, lane, 1));
      work();
    };
    if (lane.running < AT_ONCE) begin();
    else lane.waiting.push(begin);
  }

  /** Resolves when nothing is being answered. */
  async drained(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #laneOf(socket: Socket): Lane {
    const known = this.#lanes.get(socket);
    if (known !== undefined) return known;
    const lane: Lane = { running: 0, waiting: [] };
    this.#lanes.set(socket, lane);
    // Answers that wait for their turn on the connection do not hear of its end.
    socket.once('close', () => {
      lane.waiting = [];
      this.#end(socket, lane, lane.running);
    });
    return lane;
  }

  #end(socket: Socket, lane: Lane, count: number): void {
    const ended = Math.min(count, lane.running);
    lane.running -= ended;
    this.#running -= ended;
    if (this.#running === 0) for (const resolve of this.#drained.splice(0)) resolve();
    if (socket.destroyed) return;
    while (lane.running < AT_ONCE && lane.waiting.length > 0) lane.waiting.shift()!();
  }
}
