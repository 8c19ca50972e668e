import type { ServerDuplexStream } from '@grpc/grpc-js';
import { ApiError, toApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import type { IngestEntry, IngestRequest, IngestResponse, IngestResult } from '@kontoport/proto/accounts/v1';
import { TEXTS } from '../texts.ts';
import { doneResult, readIngestEntry, refusedResult } from './ingest.wire.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerEntry } from './posting.model.ts';

/** Entries in hand at a time; no more is read until half of them are answered. */
const IN_HAND = 2_000;

/** An entry that came, and what became of it once that is known. */
interface Item {
  result?: IngestResult;
  /** The entry is not decided: the stream cannot go past it. */
  fault?: ApiError;
}

/** What a stream came to. */
export interface Ended {
  entries: number;
  refused: number;
  /** Of the stream; absent when the caller ended it. */
  fault: ApiError | undefined;
}

/**
 * One stream of the bank's feed. Entries are read as long as there is room for them, and answered in the order in which
 * they came; room is made by answers that the caller reads.
 */
export class IngestStream {
  /** Resolves when it is over and nothing of it is in hand. */
  readonly ended: Promise<Ended>;
  readonly #call: ServerDuplexStream<IngestRequest, IngestResponse>;
  readonly #ledger: Ledger;
  readonly #traceparent: string | undefined;
  readonly #gone = new AbortController();
  readonly #idle: NodeJS.Timeout;
  readonly #items: Item[] = [];
  #resolve!: (ended: Ended) => void;
  #last = 0n;
  #entries = 0;
  #refused = 0;
  /** Nothing more comes, or is taken. */
  #complete = false;
  #fault: ApiError | undefined;
  /** The caller does not read what was written already. */
  #unread = false;
  #scheduled = false;
  #over = false;

  /** @param options.idleMs how long nothing may move for want of entries or of a reader */
  constructor(
    call: ServerDuplexStream<IngestRequest, IngestResponse>,
    options: { ledger: Ledger; traceparent: string | undefined; idleMs: number },
  ) {
    this.#call = call;
    this.#ledger = options.ledger;
    this.#traceparent = options.traceparent;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#idle = setTimeout(() => this.#stalled(), options.idleMs);
    call.on('data', (message: IngestRequest) => this.#take(message));
    call.on('end', () => this.#stop());
    call.on('drain', () => {
      this.#unread = false;
      this.#moved();
      this.#schedule();
    });
    // The caller went, or what it sends cannot be read.
    for (const event of ['cancelled', 'error', 'close']) call.on(event, () => this.#finish(this.#fault));
  }

  /** Takes no more, answers what is in hand, and tells the caller to go on elsewhere. */
  close(): void {
    this.#stop(new ApiError('UNAVAILABLE', TEXTS('ingest-closing')));
  }

  #take({ entries }: IngestRequest): void {
    this.#moved();
    for (const entry of entries) {
      if (this.#complete) return;
      if (entry.number <= this.#last) {
        this.#stop(
          new ApiError('FORMAT_ERROR', TEXTS('ingest-number'), {
            details: [{ path: 'number', text: TEXTS('ingest-number') }],
          }),
        );
        return;
      }
      this.#last = entry.number;
      this.#entries++;
      const item: Item = {};
      this.#items.push(item);
      void this.#enter(entry, item).then(() => this.#schedule());
    }
    if (this.#items.length >= IN_HAND) this.#call.pause();
  }

  async #enter(given: IngestEntry, item: Item): Promise<void> {
    let entry: LedgerEntry | undefined;
    try {
      entry = readIngestEntry(given);
      const booked = await this.#ledger.enter(entry, {
        signal: this.#gone.signal,
        ...(this.#traceparent === undefined ? {} : { traceparent: this.#traceparent }),
      });
      item.result = doneResult(given.number, entry, booked);
    } catch (error) {
      const refusal = toApiError(error);
      if (refusal.code === 'UNAVAILABLE') item.fault = refusal;
      else item.result = refusedResult(given.number, entry, refusal);
    }
  }

  /** Once for all that is known in the same moment. */
  #schedule(): void {
    if (this.#scheduled || this.#over) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#answer();
    });
  }

  #answer(): void {
    if (this.#over || this.#unread) return;
    const known = this.#items.findIndex(({ result }) => result === undefined);
    const results = this.#items
      .splice(0, known === -1 ? this.#items.length : known)
      .map(({ result }) => result!);
    if (results.length > 0) {
      this.#moved();
      this.#refused += results.filter(({ refusal }) => refusal !== undefined).length;
      this.#unread = !this.#call.write({ results });
    }
    const [head] = this.#items;
    if (head?.fault !== undefined) this.#end(head.fault);
    else if (this.#complete && head === undefined) this.#end(this.#fault);
    else if (!this.#complete && !this.#unread && this.#items.length <= IN_HAND / 2) this.#call.resume();
  }

  #stop(fault?: ApiError): void {
    if (this.#complete) return;
    this.#complete = true;
    this.#fault = fault;
    this.#schedule();
  }

  #moved(): void {
    this.#idle.refresh();
  }

  /** Time that the ledger takes for what is in hand is none that the caller lets pass. */
  #stalled(): void {
    if (this.#items.length > 0 && !this.#unread) this.#moved();
    else this.#end(new ApiError('UNAVAILABLE', TEXTS('ingest-idle')));
  }

  #end(fault: ApiError | undefined): void {
    if (this.#over) return;
    this.#finish(fault);
    if (fault === undefined) this.#call.end();
    else this.#call.emit('error', toServiceError(fault));
  }

  #finish(fault: ApiError | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#complete = true;
    clearTimeout(this.#idle);
    // What waits in the ledger is not begun; whoever goes on sends it again.
    this.#gone.abort();
    this.#call.resume();
    this.#resolve({ entries: this.#entries, refused: this.#refused, fault });
  }
}
