import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import { type WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import type { Page } from './directory-pages.ts';
import type { DirectoryState } from './known-client.model.ts';
import { LEASE_MS } from './propagation.ts';

/** The stream of a watcher. Its messages are encoded in advance, because watchers share them. */
export type EncodedStream = ServerDuplexStream<WatchRequest, Uint8Array>;

/** A stored acknowledgement, and the last change at its time. */
interface Recorded {
  nonce: bigint;
  revision: bigint;
}

/**
 * One watcher's stream: the changes sent to it, and the nonces that may be echoed. A nonce is echoed only when its
 * acknowledgement is stored and every change up to the last revision at that time was sent to the watcher. So a lease never
 * outlives a deletion that did not wait for it. One message is in flight at a time. The next one is built when flow control
 * has accepted it.
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
  /** This watcher does not need deletions up to this revision. */
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

  /** Call when the acknowledgement of `said` is stored, with the state at that time. */
  record(said: Pick<WatchRequest, 'nonce' | 'appliedRevision'>, state: DirectoryState): void {
    if (this.#sentRevision === undefined) this.#begin(state);
    const recorded = { nonce: said.nonce, revision: state.revision };
    if (this.#recorded === undefined) this.#recorded = recorded;
    else this.#recordedLast = recorded;
    this.#hear(state);
    const first = this.#echo === 0n;
    this.#promote();
    // The watcher waits for its lease, so the echo is due at once.
    const complete = !this.#resetDue && said.appliedRevision >= this.#firstRevision;
    if ((first && this.#echo !== 0n) || (complete && !this.#complete)) this.#beatDue = true;
    this.#complete ||= complete;
  }

  /**
   * Sends everything of `state` that the watcher lacks, and other due messages, at the speed of its flow control.
   * @throws the errors of the pages; the next call sends the rest
   */
  async send(state: DirectoryState): Promise<void> {
    this.#hear(state);
    if (this.#pumping || this.#sentRevision === undefined) return;
    this.#pumping = true;
    try {
      // Checked again in the same turn, so that no message that becomes due meanwhile waits.
      for (let next = this.#next(); next !== undefined; next = this.#next()) if (!(await next)) break;
    } finally {
      this.#pumping = false;
    }
  }

  /** Makes a heartbeat due, at most one. */
  beat(): void {
    this.#promote();
    this.#beatDue = this.#sentRevision !== undefined;
  }

  end(): void {
    this.#ended = true;
    this.#stream.end();
  }

  /** Ends the stream with an error, after the messages already sent. */
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
    // A watcher ahead of the database: that was restored to an earlier state.
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
    // Read before a purge that this watcher's start includes: it contains deleted clients as live.
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
    // Reads the next page while this one is being sent.
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
