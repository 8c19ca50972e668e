import { createReadStream } from 'node:fs';

/** A line of a file, without its end. */
export interface Line {
  /** From 1. */
  number: number;
  /** Bytes of the file up to and with its end. */
  offset: number;
  /** Absent: longer than a line may be. */
  text: string | undefined;
}

const MAX_BYTES = 64 * 1024;

/** Reads the lines of a file after a place in it, at most the requested number. */
export async function* linesOf(file: string, after: { line: number; offset: number }): AsyncGenerator<Line> {
  let { line: number, offset } = after;
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  for await (const chunk of createReadStream(file, { start: offset }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const bytes = Buffer.concat([rest, chunk.subarray(from, end)]);
      offset += bytes.length + 1;
      const fits = !tooLong && bytes.length <= MAX_BYTES;
      yield { number: ++number, offset, text: fits ? bytes.toString() : undefined };
      rest = Buffer.alloc(0);
      tooLong = false;
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > MAX_BYTES) {
      tooLong = true;
      offset += rest.length;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0 || tooLong)
    yield { number: ++number, offset: offset + rest.length, text: tooLong ? undefined : rest.toString() };
}
