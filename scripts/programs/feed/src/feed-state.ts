import { existsSync, readFileSync } from 'node:fs';
import { InputError } from '@kontoport/command';
import { writeFileAtomically } from '@kontoport/issuing';

/** The progress of a file: the only state that a bank has to keep. */
export interface FeedState {
  /** The last line that was answered. */
  line: number;
  /** Bytes of the file up to its end. */
  offset: number;
  refused: number;
}

/** The path of the state of a file. */
export const stateFileOf = (file: string): string => `${file}.state`;

/** Reads the stored state of a file; its beginning when none is stored. @throws InputError */
export function readState(file: string): FeedState {
  const path = stateFileOf(file);
  if (!existsSync(path)) return { line: 0, offset: 0, refused: 0 };
  try {
    const { line, offset, refused } = JSON.parse(readFileSync(path, 'utf8')) as FeedState;
    if ([line, offset, refused].every((each) => Number.isSafeInteger(each) && each >= 0))
      return { line, offset, refused };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InputError(
    `${path} is no state of this program. Remove it to begin again: what is booked is not doubled.`,
  );
}

/** Stores the state. */
export async function writeState(file: string, state: FeedState): Promise<void> {
  await writeFileAtomically(stateFileOf(file), `${JSON.stringify(state)}\n`);
}
