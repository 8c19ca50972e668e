import type { Country } from '../calendar/country-time.model.ts';
import { TEXTS } from '../texts.ts';
import { FITS, type NumberVerdict, refuse } from './number-verdict.model.ts';
import { checkSwedishBban } from './swedish-bban.model.ts';

/** The digits of an account number as people write it, with blanks, dots or dashes between groups. */
export function bbanDigits(bban: string): string {
  return bban.replace(/[ .-]/g, '');
}

/** Checks a domestic account number by its length (§8) and the rules of its country (§2.10). */
export function checkBban(bban: string, country: Country): NumberVerdict {
  const digits = bbanDigits(bban);
  if (!/^\d+$/.test(digits)) return refuse(TEXTS('number-characters'));
  const count = digits.length;
  if (count < 11 || count > 14) return refuse(TEXTS('number-length', { count }));
  return RULES[country](digits);
}

const RULES: Readonly<Record<Country, (digits: string) => NumberVerdict>> = {
  DK: checkDanishBban,
  NO: checkNorwegianBban,
  SE: checkSwedishBban,
};

/** Registration number of 4 digits, account number of 10. Danish banks share no check digit. */
function checkDanishBban(digits: string): NumberVerdict {
  if (digits.length !== 14) return refuse(TEXTS('danish-length', { count: digits.length }));
  return refuse(
    ...(digits.startsWith('0000') ? [TEXTS('no-bank')] : []),
    ...(/^0+$/.test(digits.slice(4)) ? [TEXTS('only-zeros')] : []),
  );
}

const NORWEGIAN_WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1];

/** 11 digits, the last one a check digit by modulus 11. */
function checkNorwegianBban(digits: string): NumberVerdict {
  if (digits.length !== 11) return refuse(TEXTS('norwegian-length', { count: digits.length }));
  if (digits.startsWith('0000')) return refuse(TEXTS('no-bank'));
  const sum = NORWEGIAN_WEIGHTS.reduce((total, weight, i) => total + weight * Number(digits[i]), 0);
  return sum % 11 === 0 ? FITS : refuse(TEXTS('check-digit', { modulus: 11 }));
}
