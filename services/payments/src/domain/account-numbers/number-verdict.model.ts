import type { Text } from '@kontoport/errors';

/** Errors and warnings about an account number, a giro number or a reference; each names the part and the reason. */
export interface NumberVerdict {
  readonly errors: readonly Text[];
  readonly warnings: readonly Text[];
}

export const VALID: NumberVerdict = { errors: [], warnings: [] };

export function refuse(...errors: Text[]): NumberVerdict {
  return { errors, warnings: [] };
}

export function warn(...warnings: Text[]): NumberVerdict {
  return { errors: [], warnings };
}

/**
 * The characters that people, banks and PDFs print between the digits of a number: blanks and dashes of any kind, dots, commas, and
 * invisible format characters that come along when a number is copied.
 */
const SEPARATORS = /[\p{Zs}\p{Pd}\p{Cf}\t.,\u2212]/gu;

/** Removes the separators from a number that somebody typed or pasted (§2.10). */
export function withoutSeparators(number: string): string {
  return number.replace(SEPARATORS, '');
}

/** The groups of digits that the separators make. */
export function groupsOf(number: string): string[] {
  return number.split(SEPARATORS).filter((group) => group !== '');
}

/** Adds the digits after doubling every second one from the right (Luhn): 0 modulo 10 when the check digit fits. */
export function luhnSum(digits: string): number {
  return Array.from(digits, Number)
    .toReversed()
    .reduce((sum, digit, i) => {
      const product = i % 2 === 0 ? digit : 2 * digit;
      return sum + (product > 9 ? product - 9 : product);
    }, 0);
}
