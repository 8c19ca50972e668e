import { ApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import { uuid } from '@kontoport/http';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { WatchRequest } from '@kontoport/proto/registration/v1';
import { z } from 'zod';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { DirectoryPages, MAX_PART_CLIENTS, type Page, toPage } from './directory-pages.ts';
import { forgetSilentWatchers, forgetWatchers, readChanges, recordWatchers } from './directory.repository.ts';
import type { DirectoryState } from './known-client.model.ts';
import { type EncodedStream, WatchStream } from './watch-stream.ts';

/** Intervals of the search for other replicas' changes and of repeated acknowledgements, milliseconds. */
const CHANGES_MS = 100;
const ACKNOWLEDGEMENTS_MS = 250;
const HEARTBEAT_MS = 1_000;
const SWEEP_MS = 60_000;

/** A watcher that neither answers heartbeats nor accepts messages for this time is disconnected; its lease ended long before. */
const PATIENCE_MS = 15_000;

/** Rows of watchers are deleted long after their leases, so that no change misses a watcher that it must wait for. */
const FORGET_AFTER_MS = 60_000;

const helloShape = z.object({ watcherId: uuid, service: z.string().min(1).max(100) });

/**
 * This replica's part of the client directory: the streams of its watchers, and the last revision. It stores no clients:
 * missing changes are read from the database in pages, which all watchers share. Acknowledgements are written in batches;
 * those of up-to-date watchers are written at once.
 */
export class DirectoryHub {
  readonly #db: Db;
  readonly #logger: Logger;
  readonly #patienceMs: number;
  readonly #pages: DirectoryPages;
  readonly #streams = new Set<WatchStream>();
  readonly #unrecorded = new Set<WatchStream>();
  readonly #left = new Set<string>();
  readonly #changes: Loop;
  readonly #acknowledgements: Loop;
  /** Loops that follow the database, write acknowledgements, delete old rows and send heartbeats. */
  readonly loops: readonly Loop[];
  #state: DirectoryState = { revision: 0n, purgedRevision: 0n };
  #followed = false;
  /** The error of the last send to a watcher. The retrying loop logs it once. */
  #failure: { error: unknown } | undefined;
  #draining = false;

  /**
   * @param options.db connections only for the directory: waiting requests must not delay leases
   * @param options.patienceMs milliseconds without a sent or accepted message until a watcher is disconnected
   */
  constructor(options: { db: Db; logger: Logger; patienceMs?: number }) {
    const { db, logger, patienceMs = PATIENCE_MS } = options;
    this.#db = db;
    this.#patienceMs = patienceMs;
    this.#logger = logger;
    this.#pages = new DirectoryPages((after) => this.#read(after));
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
      // Stores the watchers that left, so that no deletion on another replica waits for them.
      finish: () => this.#record(),
      logger,
    });
    this.loops = [
      this.#changes,
      this.#acknowledgements,
      new Loop({
        name: 'watcher sweep',
        everyMs: SWEEP_MS,
        work: () => {
          // Watchers that still read them cause another read.
          this.#pages.clear();
          return forgetSilentWatchers(db, FORGET_AFTER_MS);
        },
        logger,
      }),
      new Loop({ name: 'heartbeat', everyMs: HEARTBEAT_MS, work: () => this.#beat(), logger }),
    ];
  }

  /** Sends a change that this replica has just committed, without waiting for the next run. */
  wake(): void {
    this.#changes.wake();
  }

  /** Returns the reason for which the directory cannot be served yet, for `/readyz`. */
  readiness(): string | undefined {
    return this.#followed ? undefined : 'the clients have not been looked at yet';
  }

  /** Accepts the stream of a watcher. Its first message is its hello. */
  watch(stream: EncodedStream): void {
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

  /** Ends all streams and accepts no new ones, so that the watchers reconnect to other replicas. */
  drain(): void {
    this.#draining = true;
    for (const watcher of this.#streams) {
      this.#drop(watcher);
      watcher.end();
    }
  }

  #welcome(stream: EncodedStream, hello: WatchRequest, now: number): WatchStream | undefined {
    const fault = this.#draining
      ? new ApiError('UNAVAILABLE', TEXTS('replica-closing'))
      : helloShape.safeParse(hello).success
        ? undefined
        : new ApiError('FORMAT_ERROR', TEXTS('watcher-unnamed'));
    if (fault) {
      stream.emit('error', toServiceError(fault));
      return undefined;
    }
    const watcher = new WatchStream({ stream, hello, pages: this.#pages, now });
    this.#streams.add(watcher);
    this.#unrecorded.add(watcher);
    this.#acknowledgements.wake();
    return watcher;
  }

  #hear(watcher: WatchStream, request: WatchRequest, now: number): void {
    if (!this.#streams.has(watcher)) return;
    // Not during the transfer of the whole directory: a part of it is useless.
    const news =
      request.appliedRevision > watcher.latest.appliedRevision &&
      request.appliedRevision >= this.#state.revision;
    watcher.latest = request;
    watcher.heardAt = now;
    if (request.leaving) {
      this.#drop(watcher);
      this.#left.add(watcher.watcherId);
      watcher.end();
    } else this.#unrecorded.add(watcher);
    if (news || request.leaving) this.#acknowledgements.wake();
  }

  /** Reads changes from the database and sends them. */
  async #follow(): Promise<void> {
    const after = this.#state.revision;
    const page = await this.#read(after);
    if (page.revision > after) this.#pages.add(after, page);
    this.#note(page.state);
    this.#followed = true;
    const now = performance.now();
    for (const watcher of this.#streams)
      if (watcher.stalledMs(now) > this.#patienceMs) this.#cut(watcher, 'watcher-slow');
      else this.#send(watcher);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  async #read(after: bigint): Promise<Page> {
    return toPage(await readChanges(this.#db, { after, limit: MAX_PART_CLIENTS }));
  }

  #note({ revision, purgedRevision }: DirectoryState): void {
    const known = this.#state;
    this.#pages.notePurged(purgedRevision);
    this.#state = {
      revision: revision > known.revision ? revision : known.revision,
      purgedRevision: purgedRevision > known.purgedRevision ? purgedRevision : known.purgedRevision,
    };
  }

  #send(watcher: WatchStream): void {
    watcher.send(this.#state).catch((error: unknown) => (this.#failure ??= { error }));
  }

  /** Stores the received acknowledgements. A failed one is not echoed; the next run retries it. */
  async #record(): Promise<void> {
    const watchers = [...this.#unrecorded];
    const left = [...this.#left];
    this.#unrecorded.clear();
    this.#left.clear();
    try {
      // In this order, so that a watcher that left and returned has a row.
      if (left.length > 0) await forgetWatchers(this.#db, left);
      if (watchers.length > 0) await this.#recordAll(watchers);
    } catch (error) {
      for (const watcher of watchers) if (this.#streams.has(watcher)) this.#unrecorded.add(watcher);
      for (const watcherId of left) this.#left.add(watcherId);
      throw error;
    }
  }

  async #recordAll(watchers: readonly WatchStream[]): Promise<void> {
    const said = watchers.map((watcher) => ({ watcher, request: watcher.latest }));
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
    const state = await recordWatchers(this.#db, [...rows.values()]);
    const news = state.revision > this.#state.revision;
    this.#pages.notePurged(state.purgedRevision);
    for (const { watcher, request } of said) {
      watcher.record(request, state);
      this.#send(watcher);
    }
    if (news) this.#changes.wake();
  }

  #beat(): void {
    const silentSince = performance.now() - this.#patienceMs;
    for (const watcher of this.#streams) {
      if (watcher.heardAt < silentSince) this.#cut(watcher, 'watcher-silent');
      else {
        watcher.beat();
        this.#send(watcher);
      }
    }
  }

  /** Disconnects a watcher. Its row stays until the lease has ended, because the watcher may still decide from its memory. */
  #cut(watcher: WatchStream, reason: 'watcher-silent' | 'watcher-slow'): void {
    this.#drop(watcher);
    this.#logger.warn(
      { watcher: watcher.watcherId, watcherService: watcher.service, reason },
      'watcher cut off',
    );
    watcher.refuse(new ApiError('UNAVAILABLE', TEXTS(reason)));
  }

  #drop(watcher: WatchStream): void {
    watcher.drop();
    this.#streams.delete(watcher);
    this.#unrecorded.delete(watcher);
  }
}
