import type { ServerDuplexStream } from '@grpc/grpc-js';
import { ApiError, toApiError } from '@kontoport/errors';
import { toServiceError } from '@kontoport/grpc';
import type { IngestEntry, IngestRequest, IngestResponse, IngestResult } from '@kontoport/proto/accounts/v1';
import { TEXTS } from '../texts.ts';
import { doneResult, readIngestEntry, refusedResult } from './ingest.wire.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerEntry } from './posting.model.ts';

/** Maximum unanswered entries of a stream. Beyond it, reading stops until half are answered. */
const MAX_IN_FLIGHT = 2_000;

/** An entry, and its result once it is known. */
interface Item {
  result?: IngestResult;
  /** The entry could not be decided. The stream ends here. */
  fault?: ApiError;
}

/** The totals of a stream. */
interface StreamSummary {
  entries: number;
  refused: number;
  /** The error that ended the stream; absent when the caller ended it. */
  fault: ApiError | undefined;
}

/**
 * One stream of the bank's feed. It reads entries while there is capacity and answers in the order of the entries.
 * Answers that the caller reads free capacity.
 */
export class IngestStream {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<StreamSummary>;
  readonly #call: ServerDuplexStream<IngestRequest, IngestResponse>;
  readonly #ledger: Ledger;
  readonly #traceparent: string | undefined;
  readonly #cancelled = new AbortController();
  readonly #idle: NodeJS.Timeout;
  readonly #items: Item[] = [];
  #resolve!: (summary: StreamSummary) => void;
  #lastNumber = 0n;
  #entries = 0;
  #refused = 0;
  /** No further entries are read. */
  #isComplete = false;
  #fault: ApiError | undefined;
  /** The caller has not read the answers that were written. */
  #hasUnread = false;
  #scheduled = false;
  #isOver = false;

  /** @param options.idleMs the stream ends after this time without entries, or without the caller reading answers */
  constructor(
    call: ServerDuplexStream<IngestRequest, IngestResponse>,
    options: { ledger: Ledger; traceparent: string | undefined; idleMs: number },
  ) {
    this.#call = call;
    this.#ledger = options.ledger;
    this.#traceparent = options.traceparent;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#idle = setTimeout(() => this.#onIdle(), options.idleMs);
    call.on('data', (message: IngestRequest) => this.#receive(message));
    call.on('end', () => this.#stop());
    call.on('drain', () => {
      this.#hasUnread = false;
      this.#resetIdle();
      this.#schedule();
    });
    // The caller disconnected, or sent an unreadable message.
    for (const event of ['cancelled', 'error', 'close']) call.on(event, () => this.#finish(this.#fault));
  }

  /** Stops reading, answers the entries in flight, and requests that the caller continues with another replica. */
  close(): void {
    this.#stop(new ApiError('UNAVAILABLE', TEXTS('ingest-closing')));
  }

  #receive({ entries }: IngestRequest): void {
    this.#resetIdle();
    for (const entry of entries) {
      if (this.#isComplete) return;
      if (entry.number <= this.#lastNumber) {
        this.#stop(
          new ApiError('FORMAT_ERROR', TEXTS('ingest-number'), {
            details: [{ path: 'number', text: TEXTS('ingest-number') }],
          }),
        );
        return;
      }
      this.#lastNumber = entry.number;
      this.#entries++;
      const item: Item = {};
      this.#items.push(item);
      void this.#submit(entry, item).then(() => this.#schedule());
    }
    if (this.#items.length >= MAX_IN_FLIGHT) this.#call.pause();
  }

  async #submit(given: IngestEntry, item: Item): Promise<void> {
    let entry: LedgerEntry | undefined;
    try {
      entry = readIngestEntry(given);
      const booked = await this.#ledger.submit(entry, {
        signal: this.#cancelled.signal,
        ...(this.#traceparent === undefined ? {} : { traceparent: this.#traceparent }),
      });
      item.result = doneResult(given.number, entry, booked);
    } catch (error) {
      const refusal = toApiError(error);
      if (refusal.code === 'UNAVAILABLE') item.fault = refusal;
      else item.result = refusedResult(given.number, entry, refusal);
    }
  }

  /** Schedules one answer for all results of the same turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled || this.#isOver) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#answer();
    });
  }

  #answer(): void {
    if (this.#isOver || this.#hasUnread) return;
    const known = this.#items.findIndex(({ result }) => result === undefined);
    const results = this.#items
      .splice(0, known === -1 ? this.#items.length : known)
      .map(({ result }) => result!);
    if (results.length > 0) {
      this.#resetIdle();
      this.#refused += results.filter(({ refusal }) => refusal !== undefined).length;
      this.#hasUnread = !this.#call.write({ results });
    }
    const [head] = this.#items;
    if (head?.fault !== undefined) this.#end(head.fault);
    else if (this.#isComplete && head === undefined) this.#end(this.#fault);
    else if (!this.#isComplete && !this.#hasUnread && this.#items.length <= MAX_IN_FLIGHT / 2)
      this.#call.resume();
  }

  #stop(fault?: ApiError): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#fault = fault;
    this.#schedule();
  }

  #resetIdle(): void {
    this.#idle.refresh();
  }

  /** Ends an idle stream. Processing time of entries in flight does not count. */
  #onIdle(): void {
    if (this.#items.length > 0 && !this.#hasUnread) this.#resetIdle();
    else this.#end(new ApiError('UNAVAILABLE', TEXTS('ingest-idle')));
  }

  #end(fault: ApiError | undefined): void {
    if (this.#isOver) return;
    this.#finish(fault);
    if (fault === undefined) this.#call.end();
    else this.#call.emit('error', toServiceError(fault));
  }

  #finish(fault: ApiError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#isComplete = true;
    clearTimeout(this.#idle);
    // Entries that still wait in the ledger are cancelled. The caller resends them.
    this.#cancelled.abort();
    this.#call.resume();
    this.#resolve({ entries: this.#entries, refused: this.#refused, fault });
  }
}
