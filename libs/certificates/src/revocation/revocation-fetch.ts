import { DerError } from '../der/der-reader.ts';
import { type Finding, undecided } from './finding.ts';

/** One bounded request to an address that a certificate names; to be made through an egress guard. */
export interface RevocationRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly maxBytes: number;
  /** Milliseconds. */
  readonly timeLimit: number;
}

/** The body of a 200, or the fault, as the end of a sentence that starts with the address. */
export type RevocationAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly fault: string; readonly isTemporary: boolean };

/** Does not reject. */
export type RevocationFetch = (request: RevocationRequest) => Promise<RevocationAnswer>;

/** Refuses requests beyond `most` at a time. */
export function limitFetch(fetch: RevocationFetch, most: number): RevocationFetch {
  let underWay = 0;
  return async (request) => {
    if (underWay >= most) return { fault: 'is not asked: too much is asked at once', isTemporary: true };
    underWay += 1;
    try {
      return await fetch(request);
    } finally {
      underWay -= 1;
    }
  };
}

/** Reads the bytes of an answer with `read`; undecided when there are none or `read` throws a DerError. */
export async function readAnswer<T>(
  answer: RevocationAnswer,
  at: Date,
  read: (bytes: Uint8Array) => T | Promise<T>,
): Promise<T | Finding> {
  if ('fault' in answer) return undecided(answer.fault, at.getTime(), answer.isTemporary);
  try {
    return await read(answer.bytes);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return undecided(`gives an answer that cannot be used: ${error.message}`, at.getTime());
  }
}
