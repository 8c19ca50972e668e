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

/** Every second digit from the right doubled, its digits added: 0 modulus 10 for a number with a check digit (Luhn). */
export function luhnSum(digits: string): number {
  return Array.from(digits, Number)
    .toReversed()
    .reduce((sum, digit, i) => {
      const product = i % 2 === 0 ? digit : 2 * digit;
      return sum + (product > 9 ? product - 9 : product);
    }, 0);
}
