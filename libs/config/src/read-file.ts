import { closeSync, constants, openSync, readSync } from 'node:fs';

const MAX_BYTES = 256 * 1024;

/** Reads a small text file. @throws Error with the fault as its message */
export function readSmallFile(path: string): string {
  const bytes = Buffer.allocUnsafe(MAX_BYTES + 1);
  let length = 0;
  try {
    // Reading a pipe without a writer would block the process, so a pipe counts as empty.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = readSync(file, bytes, length, bytes.length - length, null);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new Error(`the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause: error,
    });
  }
  if (length > MAX_BYTES) throw new Error('the file is larger than 256 KB');
  if (length === 0) throw new Error('the file is empty');
  return bytes.toString('utf8', 0, length);
}
