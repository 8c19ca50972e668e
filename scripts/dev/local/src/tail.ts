import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 64 * 1024;

/** What a file has grown by, in whole lines. */
export interface Tail {
  /** Lines that have come since the last call; of the first call, those at the end of the file. */
  read(): string[];
}

/** The last lines of a file, without reading the rest; fewer than asked for when they are long. */
export function lastLines(file: string, lines: number): string[] {
  return openTail(file, lines).read();
}

/** Follows a file that grows. One that was begun anew, or is not there yet, is read from its beginning. */
export function openTail(file: string, lines: number): Tail {
  let place: number | undefined;
  let rest = '';
  const readFrom = (descriptor: number, from: number, size: number): string => {
    const buffer = Buffer.alloc(size - from);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from));
  };
  return {
    read() {
      let descriptor: number;
      try {
        descriptor = openSync(file, 'r');
      } catch {
        place = 0;
        return [];
      }
      try {
        const { size } = fstatSync(descriptor);
        const isFirst = place === undefined;
        const from = isFirst ? Math.max(0, size - TAIL_BYTES) : size < place! ? 0 : place!;
        const text = rest + readFrom(descriptor, from, size);
        place = size;
        const parts = text.split('\n');
        rest = parts.pop()!;
        // The first line of a cut begins somewhere inside it.
        const whole = (isFirst && from > 0 ? parts.slice(1) : parts).filter((line) => line !== '');
        if (!isFirst) return whole;
        const unended = rest === '' ? [] : [rest];
        rest = '';
        return [...whole, ...unended].slice(-lines);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}
