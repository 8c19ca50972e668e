import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES = 64 * 1024;

/** The lines that a growing file gains. */
export interface Tail {
  /** Returns whole lines that are new since the last call. The first call returns the last lines of the file. */
  read(): string[];
}

/** Reads the last lines of a file without reading the rest. Long lines may be fewer. */
export function lastLines(file: string, lines: number): string[] {
  return openTail(file, lines).read();
}

/** Follows a growing file. It reads a new or truncated file from its beginning. */
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
