import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import { type WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import type { Page } from './directory-pages.ts';
import type { DirectoryState } from './known-client.model.ts';
import { LEASE_MS } from './propagation.ts';

/** The stream of a watcher. Its messages are encoded before, because watchers share them. */
export type EncodedStream = ServerDuplexStream<WatchRequest, Uint8Array>;

/** A stored acknowledgement, and the last change at that moment. */
interface Recorded {
  nonce: bigint;
  revision: bigint;
}

/**
 * One watcher's stream: the changes it was sent, and which of its nonces may be echoed. A nonce is echoed only when its
 * acknowledgement is stored and the watcher has been sent every change up to the last revision at that moment. So a lease
 * never outlives a deletion that did not wait for it. One message is in flight at a time; the next one is built when flow
 * control has accepted it.
 */
export class WatchStream {
  readonly watcherId: string;
  readonly service: string;
  /** The watcher's last message. */
  latest: WatchRequest;
  /** When it arrived, monotonic milliseconds. */
  heardAt: number;
  readonly #stream: EncodedStream;
  readonly #pages: { get(after: bigint): Promise<Page> };
  /** Undefined until the hello is stored. */
  #sentRevision: bigint | undefined;
  /** The last known change. */
  #lastRevision = 0n;
  /** The last change when the hello was stored: a watcher that has applied it knows all clients. */
  #firstRevision = 0n;
  /** This watcher does not need deletions up to here. */
  #coveredRevision = 0n;
  #purgedRevision = 0n;
  /** The oldest acknowledgement that may not be echoed yet, and the newest after it. */
  #recorded: Recorded | undefined;
  #recordedLast: Recorded | undefined;
  #echo = 0n;
  #complete = false;
  #resetDue = false;
  #beatDue = false;
  #writingSince: number | undefined;
  #pumping = false;
  #ended = false;

  constructor(options: {
    stream: EncodedStream;
    hello: WatchRequest;
    pages: { get(after: bigint): Promise<Page> };
    now: number;
  }) {
    this.#stream = options.stream;
    this.#pages = options.pages;
    this.watcherId = options.hello.watcherId;
    this.service = options.hello.service;
    this.latest = options.hello;
    this.heardAt = options.now;
  }

  /** Milliseconds for which the message in flight has been waiting for the watcher's flow control. */
  stalledMs(now: number): number {
    return this.#writingSince === undefined ? 0 : now - this.#writingSince;
  }

  /** Call when the acknowledgement of `said` is stored; `state` is the state at that moment. */
  record(said: Pick<WatchRequest, 'nonce' | 'appliedRevision'>, state: DirectoryState): void {
    if (this.#sentRevision === undefined) this.#begin(state);
    const recorded = { nonce: said.nonce, revision: state.revision };
    if (this.#recorded === undefined) this.#recorded = recorded;
    else this.#recordedLast = recorded;
    this.#hear(state);
    const first = this.#echo === 0n;
    this.#promote();
    // It waits for its lease, and no longer than it must.
    const complete = !this.#resetDue && said.appliedRevision >= this.#firstRevision;
    if ((first && this.#echo !== 0n) || (complete && !this.#complete)) this.#beatDue = true;
    this.#complete ||= complete;
  }

  /**
   * Sends all that the watcher lacks of `state`, and what else is due, as fast as the watcher takes it.
   * @throws what reading the pages throws; whatever is left is sent by the next call
   */
  async send(state: DirectoryState): Promise<void> {
    this.#hear(state);
    if (this.#pumping || this.#sentRevision === undefined) return;
    this.#pumping = true;
    try {
      // Asked anew in the same turn: nothing that comes due meanwhile is left lying.
      for (let next = this.#next(); next !== undefined; next = this.#next()) if (!(await next)) break;
    } finally {
      this.#pumping = false;
    }
  }

  /** A heartbeat is due; one that is due already is enough. */
  beat(): void {
    this.#promote();
    this.#beatDue = this.#sentRevision !== undefined;
  }

  end(): void {
    this.#ended = true;
    this.#stream.end();
  }

  /** Ends the stream with an error, after what was sent before. */
  refuse(error: ApiError): void {
    this.#ended = true;
    this.#stream.emit('error', toServiceError(error));
  }

  /** Call when the connection has ended. */
  drop(): void {
    this.#ended = true;
  }

  #begin({ revision, purgedRevision }: DirectoryState): void {
    const { appliedRevision } = this.latest;
    this.#firstRevision = revision;
    // Ahead of the database: that was restored to an earlier state.
    if (appliedRevision !== 0n && (appliedRevision < purgedRevision || appliedRevision > revision))
      return this.#startAnew(purgedRevision);
    this.#sentRevision = appliedRevision;
    this.#coveredRevision = appliedRevision === 0n ? purgedRevision : appliedRevision;
  }

  #startAnew(purgedRevision: bigint): void {
    this.#resetDue = true;
    this.#complete = false;
    this.#sentRevision = 0n;
    this.#coveredRevision = purgedRevision;
    this.#echo = 0n;
    this.#recorded = this.#recordedLast = undefined;
  }

  #hear({ revision, purgedRevision }: DirectoryState): void {
    if (revision > this.#lastRevision) this.#lastRevision = revision;
    if (purgedRevision > this.#purgedRevision) this.#purgedRevision = purgedRevision;
  }

  /** Sends the next due message. @returns whether it was sent; undefined when there is none */
  #next(): Promise<boolean> | undefined {
    if (this.#ended) return undefined;
    if (this.#resetDue) {
      this.#resetDue = false;
      return this.#write({ $case: 'reset', value: {} });
    }
    if (this.#beatDue) {
      this.#beatDue = false;
      return this.#write({
        $case: 'heartbeat',
        value: {
          revision: this.#sentRevision!,
          nonce: this.#echo,
          leaseMilliseconds: BigInt(LEASE_MS),
          purgedRevision: this.#purgedRevision,
        },
      });
    }
    return this.#sentRevision! < this.#lastRevision ? this.#sendPage(this.#sentRevision!) : undefined;
  }

  async #sendPage(after: bigint): Promise<boolean> {
    const page = await this.#pages.get(after);
    const { purgedRevision } = page.state;
    // Read before a purge of which this watcher's start knows: it shows clients alive that are not.
    if (purgedRevision < this.#coveredRevision && after < this.#coveredRevision) return false;
    if (purgedRevision > this.#coveredRevision) {
      // The watcher has a live client whose tombstone was deleted since.
      if (after !== 0n && after < purgedRevision) {
        this.#startAnew(purgedRevision);
        return true;
      }
      this.#coveredRevision = purgedRevision;
    }
    this.#hear(page.state);
    if (page.revision <= after) return false;
    // The next one is read while this one is on its way.
    if (page.revision < this.#lastRevision) this.#pages.get(page.revision).catch(() => {});
    if (!(await this.#writeEncoded(page.message))) return false;
    this.#sentRevision = page.revision;
    this.#promote();
    return true;
  }

  #promote(): void {
    while (this.#recorded !== undefined && this.#sentRevision !== undefined) {
      if (this.#sentRevision < this.#recorded.revision) return;
      this.#echo = this.#recorded.nonce;
      this.#recorded = this.#recordedLast;
      this.#recordedLast = undefined;
    }
  }

  #write(message: NonNullable<WatchResponse['message']>): Promise<boolean> {
    return this.#writeEncoded(WatchResponse.encode({ message }).finish());
  }

  /** Resolves when flow control has accepted the message. */
  async #writeEncoded(message: Uint8Array): Promise<boolean> {
    if (this.#ended) return false;
    this.#writingSince = performance.now();
    await new Promise<void>((resolve) => this.#stream.write(message, () => resolve()));
    this.#writingSince = undefined;
    return true;
  }
}
