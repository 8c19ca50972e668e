import type { Country } from '../calendar/country-time.model.ts';
import { TEXTS } from '../texts.ts';
import { bbanOfIban, readIban } from './iban.model.ts';
import {
  groupsOf,
  type NumberVerdict,
  refuse,
  VALID,
  warn,
  withoutSeparators,
} from './number-verdict.model.ts';
import { readSwedishBban } from './swedish-bban.model.ts';

/** A domestic account number as it was understood. */
export interface BbanReading extends NumberVerdict {
  /** The digits to pay to: 11 to 14 when there is no error (§8). */
  readonly digits: string;
}

/** Reads a domestic account number by its length (§8) and the rules of its country (§2.10). */
export function readBban(typed: string, country: Country): BbanReading {
  const digits = withoutSeparators(typed);
  const iban = readIban(digits);
  if (iban !== undefined) return { digits, ...refuseIban(iban, country) };
  if (!/^\d+$/.test(digits)) return { digits, ...refuse(TEXTS('number-characters')) };
  if (country === 'SE') return readSwedishBban(groupsOf(typed));
  return { digits, ...(country === 'DK' ? checkDanishBban(digits) : checkNorwegianBban(digits)) };
}

/** Returns the domestic number of an IBAN, when it is one of the payment's country. */
function refuseIban(iban: string, country: Country): NumberVerdict {
  const domestic = bbanOfIban(iban);
  if (domestic === undefined || domestic.country !== country) return refuse(TEXTS('number-is-iban'));
  const { digits, errors, warnings } = readBban(domestic.bban, country);
  return errors.length + warnings.length > 0
    ? refuse(TEXTS('number-is-iban'))
    : refuse(TEXTS('number-is-iban-of', { bban: digits }));
}

/** Registration number of 4 digits, account number of 10 (IBAN registry, Denmark). Danish banks share no check digit. */
function checkDanishBban(digits: string): NumberVerdict {
  if (digits.length !== 14) return refuse(TEXTS('danish-length', { count: digits.length }));
  return refuse(
    ...(digits.startsWith('0000') ? [TEXTS('no-bank')] : []),
    ...(/^0+$/.test(digits.slice(4)) ? [TEXTS('only-zeros')] : []),
  );
}

const NORWEGIAN_WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1];

/**
 * 4 digits of the bank, 6 of the account and a check digit by modulus 11 (Bits, "IBAN"). Numbers with 00 in places 5 and 6
 * belong to banks; sources contradict each other on their check digit.
 */
function checkNorwegianBban(digits: string): NumberVerdict {
  if (digits.length !== 11) return refuse(TEXTS('norwegian-length', { count: digits.length }));
  if (digits.startsWith('0000')) return refuse(TEXTS('no-bank'));
  const sum = NORWEGIAN_WEIGHTS.reduce((total, weight, i) => total + weight * Number(digits[i]), 0);
  if (sum % 11 === 0) return VALID;
  return digits.slice(4, 6) === '00'
    ? warn(TEXTS('check-digit-unreliable', { modulus: 11 }))
    : refuse(TEXTS('check-digit', { modulus: 11 }));
}
