import type { Text } from '@kontoport/errors';

/** What is wrong with an account number, a giro number or a reference, and what could not be checked; each names the part and the reason. */
export interface NumberVerdict {
  readonly errors: readonly Text[];
  readonly warnings: readonly Text[];
}

export const FITS: NumberVerdict = { errors: [], warnings: [] };

export function refuse(...errors: Text[]): NumberVerdict {
  return { errors, warnings: [] };
}

export function warn(...warnings: Text[]): NumberVerdict {
  return { errors: [], warnings };
}
