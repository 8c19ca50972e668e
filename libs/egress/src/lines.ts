import { BadAnswer, EndlessAnswer, HeadTooLong } from './faults.ts';
import { Gathered } from './gathered.ts';

/** Bytes of a status line with its headers, or of trailers; line ends included. */
export const MOST_HEAD_BYTES = 16 * 1024;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;
const NOTHING = Buffer.alloc(0);

/** Bytes that have come, and how far they have been read. */
export interface Part {
  readonly bytes: Buffer;
  readonly length: number;
  at: number;
}

/**
 * Gathers lines up to an empty one, in however many parts they come (RFC 9112 §2.1). A line ends with CR LF; neither
 * stands alone, and the tab is the only other control character. Each byte is looked at once.
 */
export class Lines {
  readonly #begin: Buffer;
  /** What came in earlier parts. */
  #held: Gathered | undefined;
  #isFirst = true;
  #lineBytes = 0;
  #isAfterCr = false;

  /** @param begin what the first line begins with: so whoever speaks another protocol is known at once */
  constructor(begin = NOTHING) {
    this.#begin = begin;
  }

  /**
   * Reads on, up to the empty line.
   * @returns the lines, each with its end, once that one has come; the next call begins anew
   * @throws BadAnswer, HeadTooLong, or EndlessAnswer where it is the first line that is too long
   */
  take(part: Part): string | undefined {
    const before = this.#held?.length ?? 0;
    if (before < this.#begin.length) this.#compareBegin(part, before);
    const { bytes, length, at: from } = part;
    const limit = Math.min(length, from + MOST_HEAD_BYTES - before);
    while (part.at < limit) if (this.#endsEmptyLine(bytes[part.at++]!)) return this.#whole(part, from);
    if (before + limit - from === MOST_HEAD_BYTES)
      throw this.#isFirst ? new EndlessAnswer('a line without end') : new HeadTooLong('too many lines');
    this.#held ??= new Gathered();
    this.#held.add(bytes.subarray(from, limit));
    return undefined;
  }

  #compareBegin({ bytes, length, at }: Part, before: number): void {
    const end = Math.min(length, at + this.#begin.length - before);
    if (bytes.compare(this.#begin, before, before + end - at, at, end) !== 0)
      throw new BadAnswer('another protocol');
  }

  #endsEmptyLine(byte: number): boolean {
    if (this.#isAfterCr) {
      if (byte !== LF) throw new BadAnswer('CR without LF');
      const isEmpty = this.#lineBytes === 0;
      this.#isAfterCr = false;
      this.#isFirst = isEmpty;
      this.#lineBytes = 0;
      return isEmpty;
    }
    if (byte === CR) this.#isAfterCr = true;
    else if (isControl(byte)) throw new BadAnswer('a control character');
    else this.#lineBytes += 1;
    return false;
  }

  #whole({ bytes, at }: Part, from: number): string {
    if (this.#held === undefined) return bytes.toString('latin1', from, at - 2);
    this.#held.add(bytes.subarray(from, at));
    const text = this.#held.bytes().toString('latin1').slice(0, -2);
    this.#held = undefined;
    return text;
  }
}

/** Whether it may stand in no line; a tab may, and CR and LF end one. */
export function isControl(byte: number): boolean {
  return (byte < SPACE && byte !== TAB) || byte === DELETE;
}
