import { channel } from 'node:diagnostics_channel';
import type { AnswerHead } from './answer-head.ts';
import type { AnswerSink } from './answer-reader.ts';
import { BodyTooLong, ConnectionLost, TimeUp } from './faults.ts';
import { Gathered } from './gathered.ts';
import { type HttpRequest, requestText } from './request-text.ts';

/** A request, how much of its answer is wanted, and how long for. */
export interface BoundedExchange extends HttpRequest {
  /** Scheme, host and port, as `URL.origin` has them. */
  origin: string;
  /** Of a longer body no more is read: the connection is given up instead. */
  maxBytes: number;
  /** So many bytes of the body are handed back, by the status. */
  keptBytes: (status: number) => number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** What came of a request: an answer, and why its end is missing where it is; or why there is none. */
export interface Outcome {
  answer: { status: number; retryAfter: string | undefined; body: Buffer } | undefined;
  fault: Error | undefined;
}

/** What has an exchange in hand, and hears when it is over before its time. */
export interface Holder {
  drop(exchange: Exchange): void;
}

/** Tells whoever listens of a request that it is `sent`, `begun` to be answered, or `answered`. Tests listen; nobody else does. */
const stages = channel('kontoport.egress');

const NOTHING = Buffer.alloc(0);

/** One request on its way, and its answer as it comes. */
export class Exchange implements AnswerSink {
  /** As it is sent, a character a byte. */
  readonly text: string;
  /** Who has it in hand. */
  holder: Holder | undefined;
  readonly #options: BoundedExchange;
  readonly #timer: NodeJS.Timeout;
  #settle: ((outcome: Outcome) => void) | undefined;
  #head: AnswerHead | undefined;
  #kept = 0;
  #bytes = 0;
  #body: Gathered | undefined;

  /**
   * @param context.settle is called once, when it is over
   * @throws where the request cannot be sent
   */
  constructor(
    options: BoundedExchange,
    { host, settle }: { host: string; settle: (outcome: Outcome) => void },
  ) {
    this.text = requestText(options, host);
    this.#options = options;
    this.#settle = settle;
    // As long as it runs the process does: connections do not keep it alive.
    this.#timer = setTimeout(() => this.fail(new TimeUp('no answer in time')), options.timeLimit);
  }

  /** Notes that all of the request is out. */
  noteSent(): void {
    this.#tell('sent');
  }

  takeHead(head: AnswerHead): void {
    this.#head = head;
    this.#kept = this.#options.keptBytes(head.status);
    this.#tell('begun');
  }

  takeBody(bytes: Buffer): void {
    const left = this.#kept - this.#bytes;
    if (left > 0) (this.#body ??= new Gathered()).add(bytes.subarray(0, left));
    this.#bytes += bytes.length;
    if (this.#bytes > this.#options.maxBytes) throw new BodyTooLong('a body that is too long');
  }

  /** All of the answer has come. */
  end(): void {
    this.#tell('answered');
    this.#over(undefined);
  }

  /** The peer has ended the connection, as it ends some answers. */
  endWithConnection(): void {
    if (this.#head?.framing === 'connection') this.end();
    else this.fail(new ConnectionLost('the connection has ended'));
  }

  /** Nothing more will come. */
  fail(fault: Error): void {
    this.holder?.drop(this);
    this.#over(fault);
  }

  #over(fault: Error | undefined): void {
    if (this.#settle === undefined) return;
    clearTimeout(this.#timer);
    const { status, retryAfter } = this.#head ?? {};
    const body = this.#body?.bytes() ?? NOTHING;
    this.#settle({ answer: status === undefined ? undefined : { status, retryAfter, body }, fault });
    this.#settle = undefined;
    // The connection may rest for long.
    this.#body = undefined;
  }

  #tell(stage: 'sent' | 'begun' | 'answered'): void {
    if (stages.hasSubscribers) stages.publish({ stage, path: this.#options.path });
  }
}
