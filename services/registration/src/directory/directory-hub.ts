import type { ServerDuplexStream } from '@grpc/grpc-js';
import { ApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import { uuid } from '@kontoport/http';
import type { WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import { type Logger, Loop } from '@kontoport/runtime';
import { z } from 'zod';
import type { Db } from '../db.ts';
import { TEXTS } from '../texts.ts';
import { forgetSilentWatchers, forgetWatchers, readChanges, recordWatchers } from './directory.repository.ts';
import type { KnownClient } from './known-client.model.ts';
import { WatchStream } from './watch-stream.ts';

type Stream = ServerDuplexStream<WatchRequest, WatchResponse>;

/** How often other replicas' changes are looked for, and repeated acknowledgements are written; milliseconds. */
const CHANGES_MS = 100;
const ACKNOWLEDGEMENTS_MS = 250;
const HEARTBEAT_MS = 1_000;
const SWEEP_MS = 60_000;

/** A watcher answers every heartbeat; one that is silent for so long has lost its lease several times. */
const SILENCE_LIMIT_MS = 15_000;

/** The database forgets a watcher long after its lease, so that it never forgets one that is awaited. */
const FORGET_AFTER_MS = 60_000;

const helloShape = z.object({ watcherId: uuid, service: z.string().min(1).max(100) });

/**
 * This replica's part of the client directory: a copy of all clients that follows the database, and the streams of the
 * watchers that are connected here. Acknowledgements are written in batches, those that bring news at once.
 */
export class DirectoryHub {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #clients = new Map<string, KnownClient>();
  readonly #streams = new Set<WatchStream>();
  readonly #unrecorded = new Set<WatchStream>();
  readonly #left = new Set<string>();
  readonly #changes: Loop;
  readonly #acknowledgements: Loop;
  /** What follows the database, writes acknowledgements, sweeps and beats; the directory lives while they run. */
  readonly loops: readonly Loop[];
  #revision = 0n;
  #loaded = false;
  #draining = false;

  /** @param options.db connections for the directory alone: requests that wait must not hold up the leases */
  constructor(options: { db: Db; logger: Logger }) {
    const { db, logger } = options;
    this.#db = db;
    this.#logger = logger;
    this.#changes = new Loop({
      name: 'client changes',
      everyMs: CHANGES_MS,
      work: () => this.#follow(),
      logger,
    });
    this.#acknowledgements = new Loop({
      name: 'acknowledgements',
      everyMs: ACKNOWLEDGEMENTS_MS,
      work: () => this.#record(),
      // Whoever has left by now need not be awaited by a deletion elsewhere.
      finish: () => this.#record(),
      logger,
    });
    this.loops = [
      this.#changes,
      this.#acknowledgements,
      new Loop({
        name: 'watcher sweep',
        everyMs: SWEEP_MS,
        work: () => forgetSilentWatchers(db, FORGET_AFTER_MS),
        logger,
      }),
      new Loop({ name: 'heartbeat', everyMs: HEARTBEAT_MS, work: () => this.#beat(), logger }),
    ];
  }

  /** Sends a change that was just committed here without waiting for the next look. */
  wake(): void {
    this.#changes.wake();
  }

  /** Why the directory cannot be served yet, for `/readyz`. */
  readiness(): string | undefined {
    return this.#loaded ? undefined : 'the clients are not loaded yet';
  }

  /** Takes the stream of a watcher; its first message is its hello. */
  watch(stream: Stream): void {
    let watcher: WatchStream | undefined;
    const drop = (): void => {
      if (watcher) this.#drop(watcher);
    };
    stream.on('data', (request: WatchRequest) => {
      const now = performance.now();
      if (watcher) return this.#hear(watcher, request, now);
      watcher = this.#welcome(stream, request, now);
    });
    stream.on('end', () => stream.end());
    for (const event of ['end', 'close', 'cancelled', 'error']) stream.on(event, drop);
  }

  /** Ends all streams and takes no new ones, so that the watchers turn to other replicas. */
  drain(): void {
    this.#draining = true;
    for (const watcher of this.#streams) {
      this.#drop(watcher);
      watcher.end();
    }
  }

  #welcome(stream: Stream, hello: WatchRequest, now: number): WatchStream | undefined {
    const fault = this.#draining
      ? new ApiError('UNAVAILABLE', TEXTS('replica-closing'))
      : helloShape.safeParse(hello).success
        ? undefined
        : new ApiError('FORMAT_ERROR', TEXTS('watcher-unnamed'));
    if (fault) {
      stream.emit('error', toServiceError(fault));
      return undefined;
    }
    const watcher = new WatchStream(stream, hello, now);
    this.#streams.add(watcher);
    this.#unrecorded.add(watcher);
    this.#acknowledgements.wake();
    return watcher;
  }

  #hear(watcher: WatchStream, request: WatchRequest, now: number): void {
    if (!this.#streams.has(watcher)) return;
    const news = request.appliedRevision > watcher.latest.appliedRevision;
    watcher.latest = request;
    watcher.heardAt = now;
    if (request.leaving) {
      this.#drop(watcher);
      this.#left.add(watcher.watcherId);
      watcher.end();
    } else this.#unrecorded.add(watcher);
    if (news || request.leaving) this.#acknowledgements.wake();
  }

  /** Reads what changed since the last look, and passes it on. */
  async #follow(): Promise<void> {
    const changes = await readChanges(this.#db, this.#revision);
    for (const client of changes) this.#clients.set(client.clientId, client);
    this.#revision = changes.at(-1)?.revision ?? this.#revision;
    this.#loaded = true;
    const directory = { revision: this.#revision, clients: this.#clients };
    for (const watcher of this.#streams)
      if (watcher.overflows) this.#cut(watcher, 'watcher-slow');
      else {
        watcher.pass(changes, directory);
        watcher.greet(directory);
      }
  }

  /** Writes the acknowledgements that came in; what could not be written is not echoed, and tried again. */
  async #record(): Promise<void> {
    const watchers = [...this.#unrecorded];
    const left = [...this.#left];
    this.#unrecorded.clear();
    this.#left.clear();
    try {
      // In this order: one that left and came back is to be found.
      if (left.length > 0) await forgetWatchers(this.#db, left);
      if (watchers.length > 0) await this.#recordAll(watchers);
    } catch (error) {
      for (const watcher of watchers) if (this.#streams.has(watcher)) this.#unrecorded.add(watcher);
      for (const watcherId of left) this.#left.add(watcherId);
      throw error;
    }
  }

  async #recordAll(watchers: readonly WatchStream[]): Promise<void> {
    const said = watchers.map((watcher) => ({ watcher, nonce: watcher.latest.nonce }));
    // A watcher that has just reconnected may still have its old stream: one row each.
    const rows = new Map(
      watchers
        .map(({ watcherId, service, latest: { appliedRevision } }) => ({
          watcherId,
          service,
          appliedRevision,
        }))
        .toSorted((a, b) => Number(a.appliedRevision - b.appliedRevision))
        .map((row) => [row.watcherId, row]),
    );
    const revision = await recordWatchers(this.#db, [...rows.values()]);
    for (const { watcher, nonce } of said) {
      watcher.record(nonce, revision);
      if (this.#loaded && this.#streams.has(watcher))
        watcher.greet({ revision: this.#revision, clients: this.#clients });
    }
    if (revision > this.#revision) this.#changes.wake();
  }

  #beat(): void {
    const silentSince = performance.now() - SILENCE_LIMIT_MS;
    for (const watcher of this.#streams) {
      if (watcher.heardAt < silentSince) this.#cut(watcher, 'watcher-silent');
      else if (watcher.overflows) this.#cut(watcher, 'watcher-slow');
      else watcher.beat();
    }
  }

  /** Its row stays until the lease has run out: the watcher may still decide from its memory. */
  #cut(watcher: WatchStream, reason: 'watcher-silent' | 'watcher-slow'): void {
    this.#drop(watcher);
    this.#logger.warn(
      { watcher: watcher.watcherId, watcherService: watcher.service, reason },
      'watcher cut off',
    );
    watcher.refuse(new ApiError('UNAVAILABLE', TEXTS(reason)));
  }

  #drop(watcher: WatchStream): void {
    this.#streams.delete(watcher);
    this.#unrecorded.delete(watcher);
  }
}
