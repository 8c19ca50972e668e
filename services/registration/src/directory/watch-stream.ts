import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import type { WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import type { KnownClient } from './known-client.model.ts';
import { LEASE_MS } from './propagation.ts';

/** Messages that may wait for a watcher that reads slowly; beyond them it is cut off. */
const MAX_WAITING_MESSAGES = 64;

/** More changes at once than this go as a new snapshot. */
const MAX_SINGLE_CHANGES = 32;

/** All clients as of one revision. */
export interface Directory {
  revision: bigint;
  clients: ReadonlyMap<string, KnownClient>;
}

/**
 * One watcher's stream: what it has been sent, and which of its nonces may be echoed. A nonce is echoed only when its
 * acknowledgement stands in the database and the watcher has been sent every change up to the revision that was the
 * last one at that moment; so a lease never outlives a deletion that did not wait for it.
 */
export class WatchStream {
  readonly watcherId: string;
  readonly service: string;
  /** What the watcher said last. */
  latest: WatchRequest;
  /** Monotonic milliseconds of that. */
  heardAt: number;
  readonly #stream: ServerDuplexStream<WatchRequest, WatchResponse>;
  #sentRevision: bigint | undefined;
  #recorded: { nonce: bigint; revision: bigint } | undefined;
  #echo = 0n;

  constructor(stream: ServerDuplexStream<WatchRequest, WatchResponse>, hello: WatchRequest, now: number) {
    this.#stream = stream;
    this.watcherId = hello.watcherId;
    this.service = hello.service;
    this.latest = hello;
    this.heardAt = now;
  }

  /** Whether the watcher reads so slowly that it must be cut off. */
  get overflows(): boolean {
    return this.#stream.writableLength > MAX_WAITING_MESSAGES;
  }

  /** The acknowledgement with `nonce` stands in the database; `revision` was the last change then. */
  record(nonce: bigint, revision: bigint): void {
    this.#promote();
    this.#recorded = { nonce, revision };
  }

  /** Sends the snapshot with a first heartbeat, once; not before it is at least as new as the watcher's acknowledgement. */
  greet(directory: Directory): void {
    if (this.#sentRevision !== undefined || this.#recorded === undefined) return;
    if (directory.revision < this.#recorded.revision) return;
    this.#sendSnapshot(directory);
    this.beat();
  }

  /**
   * Passes on what has changed; nothing before the first snapshot.
   * @param changes all between the last revision that was sent and the directory's, ascending
   */
  pass(changes: readonly KnownClient[], directory: Directory): void {
    if (this.#sentRevision === undefined || changes.length === 0) return;
    if (changes.length > MAX_SINGLE_CHANGES) return this.#sendSnapshot(directory);
    for (const client of changes)
      this.#write({ $case: 'change', value: { revision: client.revision, client } });
    this.#sentRevision = directory.revision;
  }

  /** A heartbeat, unless the watcher still waits for its snapshot. */
  beat(): void {
    this.#promote();
    if (this.#sentRevision === undefined) return;
    this.#write({
      $case: 'heartbeat',
      value: { revision: this.#sentRevision, nonce: this.#echo, leaseMilliseconds: BigInt(LEASE_MS) },
    });
  }

  end(): void {
    this.#stream.end();
  }

  /** Ends the stream with an error, after what was sent before. */
  refuse(error: ApiError): void {
    this.#stream.emit('error', toServiceError(error));
  }

  #sendSnapshot({ revision, clients }: Directory): void {
    this.#write({ $case: 'snapshot', value: { revision, clients: [...clients.values()] } });
    this.#sentRevision = revision;
  }

  #promote(): void {
    if (this.#recorded === undefined || this.#sentRevision === undefined) return;
    if (this.#sentRevision >= this.#recorded.revision) this.#echo = this.#recorded.nonce;
  }

  #write(message: NonNullable<WatchResponse['message']>): void {
    this.#stream.write({ message });
  }
}
