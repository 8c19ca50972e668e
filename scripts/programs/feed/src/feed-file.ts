import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import type { SecureContext } from 'node:tls';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { ApiError } from '@kontoport/errors';
import { call, createClient, fromServiceError } from '@kontoport/grpc';
import {
  type IngestEntry,
  type IngestRequest,
  type IngestResponse,
  type IngestResult,
  LedgerServiceClient,
  type PutAccountRequest,
} from '@kontoport/proto/accounts/v1';
import { type FeedState, writeState } from './feed-state.ts';
import { type Line, linesOf } from './lines.ts';
import { type Asked, readLine } from './read-line.ts';

/** Entries of one message. */
const MESSAGE = 200;
/** Time limit for an account; after it the line is repeated. */
const PUT_MS = 10_000;
const KEEP_EVERY_MS = 500;

/** A line that is under way, or that was refused here. */
interface Sent {
  number: number;
  offset: number;
  refusal?: string;
  /** Known to be done, without an answer of the stream. */
  done?: boolean;
}

/** The result of a run. */
export type Run = 'complete' | 'stopped' | { fault: ApiError };

/**
 * Sends the lines of a file after `state` in one stream, stores in `state` which lines were answered, and writes each refused one
 * as a line to `<file>.refused`. The next run repeats the entries that were under way at the end: the ledger books none of them
 * twice.
 * @param options.stop ends the sending; what is under way is still answered
 */
export async function feedOnce(options: {
  file: string;
  address: string;
  /** Absent: plaintext. */
  tls?: SecureContext | undefined;
  state: FeedState;
  stop: AbortSignal;
  progress: () => void;
}): Promise<Run> {
  const { file, address, state, stop } = options;
  const client = createClient(LedgerServiceClient, address, options.tls);
  const stream = new Sending(client.ingest(), options);
  try {
    for await (const line of linesOf(file, state)) {
      if (stop.aborted || stream.fault) break;
      const asked = askedOf(line);
      if (asked === undefined) stream.skip(line);
      else if (typeof asked === 'string') stream.skip(line, asked);
      else if (asked.kind === 'entry') await stream.send(line, asked.entry);
      else {
        // The following lines may be of this account.
        await stream.flush();
        stream.skip(line, await put(client, asked.account));
      }
    }
    await stream.end();
  } catch (error) {
    stream.fault ??= fromServiceError(error);
  } finally {
    await stream.keep();
    client.close();
  }
  if (stream.fault) return { fault: stream.fault };
  return stop.aborted ? 'stopped' : 'complete';
}

function askedOf({ text }: Line): Asked | string | undefined {
  if (text === undefined) return 'is too long';
  if (text.trim() === '') return undefined;
  try {
    return readLine(text);
  } catch (error) {
    return (error as Error).message;
  }
}

/** @returns why it was refused @throws ApiError when that is not decided */
async function put(client: LedgerServiceClient, account: PutAccountRequest): Promise<string | undefined> {
  try {
    await call(client, client.putAccount, account, { deadlineMs: PUT_MS });
    return undefined;
  } catch (error) {
    const refusal = fromServiceError(error);
    if (refusal.code === 'UNAVAILABLE') throw refusal;
    return `${refusal.code}: ${refusal.message}`;
  }
}

/** A stream, and its lines that are not answered yet. */
class Sending {
  fault: ApiError | undefined;
  readonly #call: ClientDuplexStream<IngestRequest, IngestResponse>;
  readonly #options: { file: string; state: FeedState; progress: () => void };
  readonly #sent: Sent[] = [];
  readonly #closed: Promise<unknown>;
  #entries: IngestEntry[] = [];
  #refused: string[] = [];
  #keeping: Promise<void> = Promise.resolve();
  #kept = 0;

  constructor(
    stream: ClientDuplexStream<IngestRequest, IngestResponse>,
    options: { file: string; state: FeedState; progress: () => void },
  ) {
    this.#call = stream;
    this.#options = options;
    this.#closed = new Promise((resolve) => {
      stream.on('error', (error) => {
        this.fault ??= fromServiceError(error);
        resolve(undefined);
      });
      stream.on('end', resolve);
    });
    stream.on('data', ({ results }: IngestResponse) => {
      for (const result of results) this.#answered(result);
    });
  }

  /** Sends an entry with the next message; waits while the ledger does not accept more. */
  async send({ number, offset }: Line, entry: NonNullable<IngestEntry['entry']>): Promise<void> {
    this.#sent.push({ number, offset });
    this.#entries.push({ number: BigInt(number), entry });
    if (this.#entries.length >= MESSAGE) await this.flush();
  }

  /** A line that is not for the stream; with a reason it counts as refused. */
  skip({ number, offset }: Line, refusal?: string): void {
    this.#sent.push({ number, offset, done: true, ...(refusal === undefined ? {} : { refusal }) });
    this.#advance();
  }

  /** Sends the entries that wait for a full message. */
  async flush(): Promise<void> {
    if (this.#entries.length === 0 || this.fault) return;
    const entries = this.#entries;
    this.#entries = [];
    if (!this.#call.write({ entries })) await Promise.race([once(this.#call, 'drain'), this.#closed]);
  }

  /** Waits for the last answer. */
  async end(): Promise<void> {
    await this.flush();
    this.#call.end();
    await this.#closed;
  }

  /** Stores the answered lines: the refused ones first, so that a crash loses none. */
  async keep(): Promise<void> {
    this.#keeping = this.#keeping.then(async () => {
      const refused = this.#refused;
      this.#refused = [];
      if (refused.length > 0) await appendFile(`${this.#options.file}.refused`, refused.join(''));
      await writeState(this.#options.file, this.#options.state);
    });
    return this.#keeping;
  }

  #answered({ number, refusal }: IngestResult): void {
    const line = this.#sent[0]!;
    if (BigInt(line.number) !== number) throw new Error(`line ${line.number} was answered as ${number}`);
    line.done = true;
    if (refusal !== undefined) line.refusal = `${refusal.errorCode}: ${refusal.message}`;
    this.#advance();
  }

  #advance(): void {
    const { state, progress } = this.#options;
    for (let line = this.#sent[0]; line?.done; line = this.#sent[0]) {
      this.#sent.shift();
      state.line = line.number;
      state.offset = line.offset;
      if (line.refusal === undefined) continue;
      state.refused++;
      this.#refused.push(`${JSON.stringify({ line: line.number, refusal: line.refusal })}\n`);
    }
    progress();
    if (performance.now() - this.#kept < KEEP_EVERY_MS) return;
    this.#kept = performance.now();
    this.keep().catch((error: unknown) => this.#call.destroy(error as Error));
  }
}
