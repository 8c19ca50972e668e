import { readFields } from './answer-head.ts';
import { BadAnswer } from './faults.ts';
import { isControl, Lines, type Part } from './lines.ts';

const LF = 0x0a;
const CR = 0x0d;
const SEMICOLON = 0x3b;
/** Of the length of a chunk: an exact number, zeros in front of it included. */
const MOST_DIGITS = 12;

export interface BodySink {
  /** Some of a body; the bytes are gone when it has returned. */
  takeBody(bytes: Buffer): void;
}

/** Reads a body in chunks (RFC 9112 §7.1), in however many parts they come; extensions and trailers are passed over. */
export class Chunks {
  #next: 'length' | 'extension' | 'LF' | 'data' | 'CR after data' | 'LF after data' | 'trailers' = 'length';
  readonly #trailers = new Lines();
  #digits = 0;
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  /** Whether all of it has been read. */
  isWhole = false;

  /**
   * Reads on, up to the end of the body.
   * @throws BadAnswer or HeadTooLong
   */
  read(part: Part, sink: BodySink): void {
    while (part.at < part.length && !this.isWhole) {
      if (this.#next === 'data') this.#readData(part, sink);
      else if (this.#next === 'trailers') this.#readTrailers(part);
      else this.#readFrame(part.bytes[part.at++]!);
    }
  }

  #readData(part: Part, sink: BodySink): void {
    const data = part.bytes.subarray(part.at, Math.min(part.length, part.at + this.#left));
    part.at += data.length;
    this.#left -= data.length;
    sink.takeBody(data);
    if (this.#left === 0) this.#next = 'CR after data';
  }

  #readTrailers(part: Part): void {
    const trailers = this.#trailers.take(part);
    if (trailers === undefined) return;
    readFields(trailers);
    this.isWhole = true;
  }

  #readFrame(byte: number): void {
    if (this.#next === 'length') this.#readLength(byte);
    else if (this.#next === 'extension') {
      if (byte === CR) this.#next = 'LF';
      else if (isControl(byte)) throw new BadAnswer('a control character');
    } else if (this.#next === 'CR after data') {
      if (byte !== CR) throw new BadAnswer('a chunk beyond its length');
      this.#next = 'LF after data';
    } else if (byte !== LF) throw new BadAnswer('CR without LF');
    else if (this.#next === 'LF') this.#next = this.#left === 0 ? 'trailers' : 'data';
    else [this.#next, this.#digits] = ['length', 0];
  }

  #readLength(byte: number): void {
    const digit = valueOf(byte);
    if (digit !== undefined) {
      this.#digits += 1;
      this.#left = this.#left * 16 + digit;
      if (this.#digits > MOST_DIGITS) throw new BadAnswer('no length of a chunk');
    } else if (this.#digits > 0 && byte === CR) this.#next = 'LF';
    else if (this.#digits > 0 && byte === SEMICOLON) this.#next = 'extension';
    else throw new BadAnswer('no length of a chunk');
  }
}

/** Of a hexadecimal digit. */
function valueOf(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : undefined;
}
