import type { Text } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';
import { FITS, luhnSum, type NumberVerdict, refuse, warn } from './number-verdict.model.ts';

/**
 * How a bank builds its account numbers, after the 4 digits of the clearing number
 * (Bankgirot, "Bankernas uppbyggnad av kontonummer"):
 * - type1-short: 7 digits, modulus 11 over the clearing number without its first digit, and the account number
 * - type1-full: 7 digits, modulus 11 over the whole clearing number and the account number
 * - type2-mod10: 10 digits, modulus 10 over the account number
 * - type2-mod11: 9 digits (8 with a leading zero left out), modulus 11 over the account number
 * - plusgiro: 7 to 10 digits, modulus 10 over the account number
 * - unreliable: up to 10 digits, modulus 10, but numbers that do not fit are in use
 */
type ClearingRule = 'type1-short' | 'type1-full' | 'type2-mod10' | 'type2-mod11' | 'plusgiro' | 'unreliable';

/** First and last clearing number of a range, ascending, and the rule of its account numbers. */
const CLEARING_RANGES: readonly (readonly [from: number, to: number, rule: ClearingRule])[] = [
  [1100, 1199, 'type1-short'],
  [1200, 1399, 'type1-short'],
  [1400, 2099, 'type1-short'],
  [2300, 2399, 'type1-full'],
  [2400, 2499, 'type1-short'],
  [3000, 3299, 'type1-short'],
  [3300, 3300, 'type2-mod10'],
  [3301, 3781, 'type1-short'],
  [3782, 3782, 'type2-mod10'],
  [3783, 3999, 'type1-short'],
  [4000, 4999, 'type1-full'],
  [5000, 5999, 'type1-short'],
  [6000, 6999, 'type2-mod11'],
  [7000, 7999, 'type1-short'],
  [8000, 8999, 'unreliable'],
  [9020, 9029, 'type1-full'],
  [9040, 9049, 'type1-full'],
  [9060, 9079, 'type1-short'],
  [9100, 9109, 'type1-full'],
  [9120, 9124, 'type1-short'],
  [9130, 9149, 'type1-short'],
  [9150, 9169, 'type1-full'],
  [9170, 9179, 'type1-short'],
  [9180, 9189, 'type2-mod10'],
  [9190, 9199, 'type1-full'],
  [9230, 9239, 'type1-short'],
  [9250, 9259, 'type1-short'],
  [9260, 9269, 'type1-full'],
  [9270, 9289, 'type1-short'],
  [9300, 9349, 'type2-mod10'],
  [9390, 9399, 'type1-full'],
  [9460, 9469, 'type1-short'],
  [9470, 9479, 'type1-full'],
  [9500, 9549, 'plusgiro'],
  [9550, 9569, 'type1-full'],
  [9570, 9579, 'type2-mod10'],
  [9580, 9589, 'type1-short'],
  [9590, 9599, 'type1-full'],
  [9630, 9639, 'type1-short'],
  [9640, 9649, 'type1-full'],
  [9660, 9679, 'type1-full'],
  [9680, 9689, 'type1-short'],
  [9700, 9719, 'type1-full'],
  [9750, 9759, 'type1-full'],
  [9780, 9789, 'type1-full'],
  [9880, 9889, 'type1-full'],
  [9890, 9899, 'type2-mod10'],
  [9960, 9969, 'plusgiro'],
];

const FORM: Readonly<
  Record<ClearingRule, { lengths: readonly number[]; modulus: 10 | 11; checked: (digits: string) => string }>
> = {
  'type1-short': { lengths: [7], modulus: 11, checked: (digits) => digits.slice(1) },
  'type1-full': { lengths: [7], modulus: 11, checked: (digits) => digits },
  'type2-mod10': { lengths: [10], modulus: 10, checked: (digits) => digits.slice(4) },
  'type2-mod11': { lengths: [8, 9], modulus: 11, checked: (digits) => digits.slice(4) },
  plusgiro: { lengths: [7, 8, 9, 10], modulus: 10, checked: (digits) => digits.slice(4) },
  unreliable: { lengths: [7, 8, 9, 10], modulus: 10, checked: (digits) => digits.slice(4) },
};

/** Checks 11 to 14 digits: clearing number and account number, with the check digit of the bank's own rule (§2.10). */
export function checkSwedishBban(digits: string): NumberVerdict {
  const clearing = Number(digits.slice(0, 4));
  if (clearing < 1000) return refuse(TEXTS('clearing-zero'));
  const rule = CLEARING_RANGES.find(([from, to]) => clearing >= from && clearing <= to)?.[2];
  if (rule === undefined) return warn(TEXTS('clearing-unknown', { clearing }));
  const { lengths, modulus, checked } = FORM[rule];
  const count = digits.length - 4;
  if (!lengths.includes(count)) return refuse(wrongLength({ count, clearing, lengths }));
  const fits = (modulus === 10 ? luhnSum(checked(digits)) : weightedSum(checked(digits))) % modulus === 0;
  if (fits) return FITS;
  return rule === 'unreliable'
    ? warn(TEXTS('check-digit-unreliable', { modulus }))
    : refuse(TEXTS('check-digit', { modulus }));
}

function wrongLength(fault: { count: number; clearing: number; lengths: readonly number[] }): Text {
  const { count, clearing, lengths } = fault;
  const [least = 0, most] = lengths;
  return most === undefined
    ? TEXTS('swedish-length', { count, clearing, length: least })
    : TEXTS('swedish-lengths', { count, clearing, least, most });
}

/** Weights from the right: 1, 2, … 10, 1. */
function weightedSum(digits: string): number {
  return Array.from(digits, Number)
    .toReversed()
    .reduce((sum, digit, i) => sum + digit * ((i % 10) + 1), 0);
}
