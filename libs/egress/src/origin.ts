import { Connection, type ConnectionOwner } from './connection.ts';
import type { Connector, Target } from './connector.ts';
import type { Exchange, Holder } from './exchange.ts';
import { ConnectionLost } from './faults.ts';
import { plainName } from './names.ts';

export interface OriginOptions {
  connector: Pick<Connector, 'connect'>;
  /** Connections at a time. */
  connections: number;
  /** Bytes of one answer, whatever they are. */
  answerBytes: number;
  /** Wants `turn` to be called at the end of this turn of the loop. */
  onDue: () => void;
  /** An exchange is over that had no connection yet. */
  onGivenUp: () => void;
}

/** The connections to one scheme, host and port, and the exchanges that wait for one. */
export class Origin implements ConnectionOwner, Holder {
  /** As `URL.origin` has it. */
  readonly url: string;
  /** As the header `host` has it. */
  readonly host: string;
  /** That is looked up, however it is written. */
  readonly name: string;
  readonly #target: Target;
  readonly #options: OriginOptions;
  readonly #waiting = new Set<Exchange>();
  readonly #connections = new Set<Connection>();
  /** Of those, the ones that are being made for somebody who waits. */
  readonly #opening = new Set<Connection>();
  /** Had an answer in this turn of the loop. */
  #resting: Connection[] = [];
  /** Had it in the one before. */
  #rested: Connection[] = [];
  /** May be used. The last one is used first, so that those that are too many grow old. */
  #free: Connection[] = [];

  constructor(url: URL, options: OriginOptions) {
    const { origin, host, hostname, port, protocol } = url;
    const isTls = protocol === 'https:';
    this.url = origin;
    this.host = host;
    this.name = plainName(hostname);
    this.#target = {
      isTls,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isTls ? 443 : 80) : Number(port),
    };
    this.#options = options;
  }

  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#connections.size === 0;
  }

  add(exchange: Exchange): void {
    exchange.holder = this;
    this.#waiting.add(exchange);
    this.#options.onDue();
  }

  drop(exchange: Exchange): void {
    if (!this.#waiting.delete(exchange)) return;
    // What was begun for it is nothing to count on.
    const [oldest] = this.#opening;
    if (this.#opening.size > this.#waiting.size) this.#opening.delete(oldest!);
    this.#options.onGivenUp();
  }

  rest(connection: Connection): void {
    this.#resting.push(connection);
    this.#options.onDue();
  }

  lost(connection: Connection, fault: Error): void {
    this.#connections.delete(connection);
    const isFree = connection.isNew && this.#free.includes(connection);
    if (isFree) this.#free = this.#free.filter((free) => free !== connection);
    // One that ends before it was used is as good as none: else it would be made again and again.
    if (isFree || this.#opening.delete(connection)) this.#failOldest(fault);
    this.#options.onDue();
  }

  /**
   * Hands connections to those who wait, and opens what is missing. A connection is used again only when the loop has
   * asked once more what has come: its end, or an answer to a request that was not made yet, would be heard then.
   * @param now of `performance.now()`
   */
  turn(now: number): void {
    this.#free.push(...this.#rested);
    [this.#rested, this.#resting] = [this.#resting, []];
    if (this.#rested.length > 0) this.#options.onDue();
    for (const exchange of this.#waiting) {
      const connection = this.#takeFree(now);
      if (connection === undefined) break;
      this.#waiting.delete(exchange);
      connection.send(exchange);
    }
    const { connections } = this.#options;
    const missing = this.#waiting.size - this.#opening.size - this.#rested.length;
    for (let i = 0; i < missing && this.#connections.size < connections; i += 1) this.#open();
  }

  /** Closes what was not used for too long. */
  sweep(now: number): void {
    const old = this.#free.filter((connection) => !connection.isUsable(now));
    this.#free = this.#free.filter((connection) => connection.isUsable(now));
    for (const connection of old) connection.close();
  }

  /** Ends everything. */
  destroy(): void {
    for (const exchange of this.#waiting) exchange.fail(new ConnectionLost('the agent has ended'));
    for (const connection of this.#connections) connection.close();
  }

  #takeFree(now: number): Connection | undefined {
    for (;;) {
      const connection = this.#free.pop();
      if (connection === undefined || connection.isUsable(now)) return connection;
      connection.close();
    }
  }

  #open(): void {
    const { connector, answerBytes, onDue } = this.#options;
    const connection = new Connection(this, answerBytes);
    this.#connections.add(connection);
    this.#opening.add(connection);
    connector.connect(this.#target, connection).then(
      (socket) => {
        this.#opening.delete(connection);
        this.#free.push(connection);
        connection.attach(socket);
        onDue();
      },
      (fault: Error) => connection.close(fault),
    );
  }

  /** Unless there are connections for all who wait. */
  #failOldest(fault: Error): void {
    const coming = this.#opening.size + this.#resting.length + this.#rested.length + this.#free.length;
    const [oldest] = this.#waiting;
    if (this.#waiting.size > coming) oldest!.fail(fault);
  }
}
