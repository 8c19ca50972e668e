import type { Text } from '@kontoport/errors';

/** What is wrong with an account number, and what could not be checked; each names the part and the reason. */
export interface BbanVerdict {
  readonly errors: readonly Text[];
  readonly warnings: readonly Text[];
}

export const FITS: BbanVerdict = { errors: [], warnings: [] };

export function refuse(...errors: Text[]): BbanVerdict {
  return { errors, warnings: [] };
}

export function warn(...warnings: Text[]): BbanVerdict {
  return { errors: [], warnings };
}
