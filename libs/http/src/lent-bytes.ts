/** A page of 100 transactions has 64 kB; as far as its length tells it could be three times as much. */
const BYTES = 256 * 1024;
/** Beneath it a text leaves together with the head of its answer, which costs less. */
const LEAST = 16 * 1024;
/** Kept for the next answers; what more are under way at once go when they have left. */
const MOST_READY = 32;

const ready: Buffer[] = [];

/** A text as UTF-8, in a buffer that others have before and after. */
export interface LentBytes {
  bytes: Uint8Array;
  /** To be called once nobody reads them any more, not sooner; never, where that is not known. */
  giveBack(): void;
}

/**
 * Lends the bytes of a long text. Node writes a long string into memory that it asks the system for and gives back each time, which is a
 * fifth of what it takes to send it.
 * @returns nothing for a text that is short, or too long for what is lent
 */
export function lendBytes(text: string): LentBytes | undefined {
  // No unit of UTF-16 takes more than three bytes.
  if (text.length < LEAST || text.length * 3 > BYTES) return undefined;
  const buffer = ready.pop() ?? Buffer.allocUnsafeSlow(BYTES);
  const bytes = buffer.subarray(0, buffer.write(text));
  return {
    bytes,
    giveBack() {
      if (ready.length < MOST_READY) ready.push(buffer);
    },
  };
}
