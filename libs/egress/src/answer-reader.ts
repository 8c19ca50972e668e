import { type AnswerHead, readAnswerHead } from './answer-head.ts';
import { type BodySink, Chunks } from './chunks.ts';
import { BadAnswer, EndlessAnswer } from './faults.ts';
import { Lines, type Part } from './lines.ts';

/** Hears an answer as it comes; what it throws ends the reading. */
export interface AnswerSink extends BodySink {
  /** How the final answer begins. */
  takeHead(head: AnswerHead): void;
}

const BEGIN = Buffer.from('HTTP/1.');
/** Answers of 1xx to one request: each costs this process more than the receiver, and the limit of time is long. */
const MOST_INTERIM = 20;
/** Another protocol, for which nobody asks. */
const SWITCHING = 101;

/** Reads one answer of HTTP/1.1, in however many parts it comes. */
export class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #lines = new Lines(BEGIN);
  #interim = 0;
  #head: AnswerHead | undefined;
  /** Bytes of a body of known length that are still to come. */
  #left = 0;
  #chunks: Chunks | undefined;
  #isWhole = false;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Of the final answer, once it has come. */
  get head(): AnswerHead | undefined {
    return this.#head;
  }

  /** Whether all of the answer has been read; where the connection's end is its end, that is never known. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Reads on, up to the end of the answer.
   * @throws BadAnswer, HeadTooLong or EndlessAnswer, or what the sink throws
   */
  read(part: Part): void {
    while (part.at < part.length && !this.#isWhole) {
      if (this.#head === undefined) this.#readHead(part);
      else if (this.#chunks !== undefined) this.#readChunks(part, this.#chunks);
      else this.#readBytes(part);
    }
  }

  #readHead(part: Part): void {
    const lines = this.#lines.take(part);
    if (lines === undefined) return;
    const head = readAnswerHead(lines);
    const { status, framing } = head;
    if (status < 200) {
      this.#interim += 1;
      if (status === SWITCHING) throw new BadAnswer('another protocol');
      if (this.#interim > MOST_INTERIM) throw new EndlessAnswer('interim answers without end');
      return;
    }
    this.#head = head;
    if (framing === 'chunks') this.#chunks = new Chunks();
    else this.#left = framing === 'connection' ? Infinity : framing;
    this.#isWhole = framing === 0;
    this.#sink.takeHead(head);
  }

  #readBytes(part: Part): void {
    const bytes = part.bytes.subarray(part.at, Math.min(part.length, part.at + this.#left));
    part.at += bytes.length;
    this.#left -= bytes.length;
    this.#isWhole = this.#left === 0;
    this.#sink.takeBody(bytes);
  }

  #readChunks(part: Part, chunks: Chunks): void {
    chunks.read(part, this.#sink);
    this.#isWhole = chunks.isWhole;
  }
}
