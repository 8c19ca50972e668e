import { TEXTS } from '../texts.ts';
import { luhnSum, type NumberVerdict, refuse, VALID, warn } from './number-verdict.model.ts';

/**
 * The structure of a bank's account numbers, after the 4 digits of the clearing number (Bankgirot, "Bankernas kontonummer"):
 * - type1-short: 7 digits, modulus 11 over the clearing number without its first digit, and the account number
 * - type1-full: 7 digits, modulus 11 over the whole clearing number and the account number
 * - type2-mod10: 10 digits, modulus 10 over the account number
 * - type2-mod11: 9 digits, modulus 11 over the account number
 * - swedbank: as type2-mod10, but numbers that do not fit are in use, and the clearing number has a fifth digit, a check
 *   digit over the other four, which may be left out and is no part of the account number
 *
 * Leading zeros of account numbers of type 2 may be left out: they do not change the check digit.
 */
type ClearingRule = 'type1-short' | 'type1-full' | 'type2-mod10' | 'type2-mod11' | 'swedbank';

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
  [8000, 8999, 'swedbank'],
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
  [9500, 9549, 'type2-mod10'],
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
  [9960, 9969, 'type2-mod10'],
];

const FORM: Readonly<
  Record<
    ClearingRule,
    { lengths: readonly [least: number, most: number]; modulus: 10 | 11; checked: (digits: string) => string }
  >
> = {
  'type1-short': { lengths: [7, 7], modulus: 11, checked: (digits) => digits.slice(1) },
  'type1-full': { lengths: [7, 7], modulus: 11, checked: (digits) => digits },
  'type2-mod10': { lengths: [7, 10], modulus: 10, checked: (digits) => digits.slice(4) },
  'type2-mod11': { lengths: [7, 9], modulus: 11, checked: (digits) => digits.slice(4) },
  swedbank: { lengths: [7, 10], modulus: 10, checked: (digits) => digits.slice(4) },
};

/**
 * Reads a clearing number and an account number, with the check digit of the bank's own rule (§2.10).
 * @param groups the digits as they were typed: a group that ends after the fifth digit shows a clearing number of five
 */
export function readSwedishBban(groups: readonly string[]): NumberVerdict & { digits: string } {
  const digits = groups.join('');
  const clearing = digits.slice(0, 4);
  const count = digits.length - 4;
  if (clearing < '1000') return { digits, ...refuse(TEXTS('clearing-zero')) };
  const rule = CLEARING_RANGES.find(([from, to]) => Number(clearing) >= from && Number(clearing) <= to)?.[2];
  if (rule === 'swedbank') return readSwedbank(digits, typedClearing(groups));
  if (rule === undefined && count >= 7 && count <= 10)
    return { digits, ...warn(TEXTS('clearing-unknown', { clearing: Number(clearing) })) };
  const { lengths, modulus, checked } = FORM[rule ?? 'swedbank'];
  if (count < lengths[0] || count > lengths[1]) return { digits, ...wrongLength(digits, lengths) };
  const sum = modulus === 10 ? luhnSum(checked(digits)) : weightedSum(checked(digits));
  return { digits, ...(sum % modulus === 0 ? VALID : refuse(TEXTS('check-digit', { modulus }))) };
}

/** Digits of the clearing number as the groups show it; undefined when they do not. */
function typedClearing(groups: readonly string[]): 4 | 5 | undefined {
  const ends = groups.map((_group, i) => groups.slice(0, i + 1).join('').length);
  return ends.includes(5) ? 5 : ends.includes(4) ? 4 : undefined;
}

/**
 * Decides whether the fifth digit belongs to the clearing number or to the account number. Where check digits do not
 * decide it, or the groups contradict them, the number could name two accounts and is refused.
 */
function readSwedbank(digits: string, typed: 4 | 5 | undefined): NumberVerdict & { digits: string } {
  const { lengths } = FORM.swedbank;
  const [least, most] = lengths;
  const short = { clearing: digits.slice(0, 4), account: digits.slice(4) };
  const long = { clearing: digits.slice(0, 5), account: digits.slice(5) };
  const canBeShort = short.account.length >= least && short.account.length <= most;
  const canBeLong = long.account.length >= least - 1 && long.account.length <= most;
  if (!canBeShort && !canBeLong) return { digits, ...wrongLength(digits, lengths) };
  const fitsClearing = luhnSum(long.clearing) % 10 === 0;
  if (!fitsClearing && (typed === 5 || !canBeShort))
    return { digits, ...refuse(TEXTS('clearing-check-digit')) };
  // A fifth digit 0 is a leading zero of the account number at the same time: both readings name one account.
  const isClearing = fitsClearing && !(digits[4] === '0' && canBeShort);
  if (!isClearing || !canBeLong) return { digits, ...checkSwedbank(short.account) };
  // The digits to pay to never contain the fifth one of the clearing number.
  const withoutFifth = short.clearing + long.account.padStart(least, '0');
  if (!canBeShort) return { digits: withoutFifth, ...checkSwedbank(long.account) };
  const [shortFits, longFits] = [short, long].map(({ account }) => luhnSum(account) % 10 === 0);
  if (shortFits === longFits || typed === (shortFits ? 5 : 4)) {
    const written = ({ account }: { account: string }): string =>
      `${short.clearing}-${digits[4]} ${account.padStart(most, '0')}`;
    return { digits, ...refuse(TEXTS('two-accounts', { first: written(short), second: written(long) })) };
  }
  if (longFits)
    return {
      digits: withoutFifth,
      ...warn(TEXTS('clearing-fifth-digit', { digit: digits[4]!, bban: withoutFifth })),
    };
  return {
    digits,
    ...(typed === 4 ? VALID : warn(TEXTS('clearing-four-digits', { ...short, digit: digits[4]! }))),
  };
}

function checkSwedbank(account: string): NumberVerdict {
  return luhnSum(account) % 10 === 0 ? VALID : warn(TEXTS('check-digit-unreliable', { modulus: 10 }));
}

function wrongLength(digits: string, [least, most]: readonly [number, number]): NumberVerdict {
  const fault = { count: digits.length - 4, clearing: Number(digits.slice(0, 4)) };
  return refuse(
    least === most
      ? TEXTS('swedish-length', { ...fault, length: least })
      : TEXTS('swedish-lengths', { ...fault, least, most }),
  );
}

/** Weights from the right: 1, 2, … 10, 1. */
function weightedSum(digits: string): number {
  return Array.from(digits, Number)
    .toReversed()
    .reduce((sum, digit, i) => sum + digit * ((i % 10) + 1), 0);
}
