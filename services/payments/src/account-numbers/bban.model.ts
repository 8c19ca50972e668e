import type { BbanVerdict } from './bban-verdict.model.ts';
import { checkSwedishBban } from './swedish-bban.model.ts';

/** Countries with domestic credit transfers; ISO 3166-1 alpha-2. */
export type Country = 'DK' | 'NO' | 'SE';

const COUNTRIES: Readonly<Record<string, Country>> = { DKK: 'DK', NOK: 'NO', SEK: 'SE' };

/** The country whose account numbers a currency's transfers go to. */
export function countryOfCurrency(currency: string): Country | undefined {
  return Object.hasOwn(COUNTRIES, currency) ? COUNTRIES[currency] : undefined;
}

/** The digits of an account number as people write it, with blanks, dots or dashes between groups. */
export function bbanDigits(bban: string): string {
  return bban.replace(/[ .-]/g, '');
}

/** Checks a domestic account number by the rules of its country (DESIGN §4, BBAN checks). */
export function checkBban(bban: string, country: Country): BbanVerdict {
  const digits = bbanDigits(bban);
  if (!/^\d+$/.test(digits)) return refuse('account number: has other characters than digits');
  if (digits.length < 11 || digits.length > 14)
    return refuse(`account number: has ${digits.length} digits, not 11 to 14`);
  return RULES[country](digits);
}

const RULES: Readonly<Record<Country, (digits: string) => BbanVerdict>> = {
  DK: checkDanishBban,
  NO: checkNorwegianBban,
  SE: checkSwedishBban,
};

/** Registration number of 4 digits, account number of 10. Danish banks share no check digit. */
function checkDanishBban(digits: string): BbanVerdict {
  if (digits.length !== 14)
    return refuse(
      `account number: has ${digits.length} digits, not 14 (4 of the registration number, 10 of the account with leading zeros)`,
    );
  const errors: string[] = [];
  if (digits.startsWith('0000')) errors.push('registration number: 0000 is no bank');
  if (/^0+$/.test(digits.slice(4))) errors.push('account number: consists of zeros');
  return { errors, warnings: [] };
}

const NORWEGIAN_WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1];

/** 11 digits, the last one a check digit by modulus 11. */
function checkNorwegianBban(digits: string): BbanVerdict {
  if (digits.length !== 11) return refuse(`account number: has ${digits.length} digits, not 11`);
  if (digits.startsWith('0000')) return refuse('registration number: 0000 is no bank');
  const sum = NORWEGIAN_WEIGHTS.reduce((total, weight, i) => total + weight * Number(digits[i]), 0);
  return sum % 11 === 0
    ? { errors: [], warnings: [] }
    : refuse('check digit: the last digit does not fit the others (modulus 11)');
}

function refuse(message: string): BbanVerdict {
  return { errors: [message], warnings: [] };
}
