import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import type { Exchange, Holder } from './exchange.ts';
import { BadAnswer, ConnectionLost, EndlessAnswer } from './faults.ts';

/** What a connection belongs to. */
export interface ConnectionOwner {
  /** An answer was read to its end, and another one may follow. */
  rest(connection: Connection): void;
  /** There will be no more; why, where it is not on purpose. */
  lost(connection: Connection, fault: Error): void;
}

/** Milliseconds for which servers that say nothing of it are taken to keep a connection over which nothing is asked. */
const KEPT_FOR_MS = 5_000;
/** Whatever servers say: what lies between may forget a connection sooner, and tells nobody. */
const MOST_KEPT_FOR_MS = 60_000;
/** However much is asked over it: by then the name may lead elsewhere, and the certificate may be none any more. */
const OLDEST_MS = 15 * 60_000;
/** So much sooner a connection is not used any more: a request could meet its end. */
const MARGIN_MS = 1_000;

/** A connection over which one exchange is made at a time. */
export class Connection implements Holder {
  readonly #owner: ConnectionOwner;
  /** Bytes of one answer, whatever they are. */
  readonly #mostBytes: number;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #reader: AnswerReader | undefined;
  #bytes = 0;
  #isClosed = false;
  /** Both of `performance.now()`. */
  #usableUntil = 0;
  #endsAt = 0;

  constructor(owner: ConnectionOwner, mostBytes: number) {
    this.#owner = owner;
    this.#mostBytes = mostBytes;
  }

  /** Takes a socket that is connected, and that hands whatever comes to `read`. */
  attach(socket: Socket): void {
    this.#socket = socket;
    // A request keeps the process alive by its limit of time, and nothing else has to.
    socket.unref();
    socket.on('end', () => this.#peerEnds());
    for (const event of ['error', 'close']) socket.on(event, () => this.close());
    this.#endsAt = performance.now() + OLDEST_MS;
    this.#keep(KEPT_FOR_MS);
    if (this.#isClosed) socket.destroy();
  }

  /** Whether nothing was sent over it yet. */
  get isNew(): boolean {
    return this.#reader === undefined;
  }

  /**
   * Whether another exchange may begin. An answer may have come before all of its request was out: what is left of that
   * could be taken for the next one.
   * @param now of `performance.now()`
   */
  isUsable(now: number): boolean {
    return !this.#isClosed && now < this.#usableUntil && this.#socket!.writableLength === 0;
  }

  /** Begins an exchange; the one before must be over. */
  send(exchange: Exchange): void {
    exchange.holder = this;
    this.#exchange = exchange;
    this.#reader = new AnswerReader(exchange);
    this.#bytes = 0;
    this.#socket!.write(exchange.text, 'latin1');
    exchange.noteSent();
  }

  /** Hears what has come, the first `length` bytes, which are gone when it has returned. */
  read(bytes: Buffer, length: number): void {
    const [exchange, reader] = [this.#exchange, this.#reader];
    // Whoever speaks unasked could mean it as the answer to the next request.
    if (exchange === undefined || reader === undefined) return this.close(new BadAnswer('unasked'));
    this.#bytes += length;
    const part = { bytes, length, at: 0 };
    try {
      if (this.#bytes > this.#mostBytes) throw new EndlessAnswer('an answer without end');
      reader.read(part);
    } catch (fault) {
      return exchange.fail(fault as Error);
    }
    if (!reader.isWhole) return;
    this.#exchange = undefined;
    const { isKept, keptForMs = KEPT_FOR_MS } = reader.head!;
    this.#keep(keptForMs);
    if (isKept && part.at === length) this.#owner.rest(this);
    else this.close();
    exchange.end();
  }

  drop(): void {
    this.#exchange = undefined;
    this.close();
  }

  /** Ends it, and the exchange that is under way. */
  close(fault: Error = new ConnectionLost('the connection has ended')): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket?.destroy();
    this.#owner.lost(this, fault);
    this.#exchange?.fail(fault);
  }

  #keep(ms: number): void {
    const keptUntil = performance.now() + Math.min(ms, MOST_KEPT_FOR_MS) - MARGIN_MS;
    this.#usableUntil = Math.min(keptUntil, this.#endsAt);
  }

  #peerEnds(): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.close();
    exchange?.endWithConnection();
  }
}
