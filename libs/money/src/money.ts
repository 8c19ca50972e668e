import type { Text } from '@kontoport/errors';
import { DECIMALS } from './currencies.ts';
import { MONEY_TEXTS } from './texts.ts';

/** An amount as a whole number of minor units: never a floating-point number. */
export interface Money {
  readonly minorUnits: bigint;
  /** ISO 4217 alpha-3. */
  readonly currency: string;
}

/** The text is no decimal amount of the currency, or the currency has no minor unit in ISO 4217. */
export class MoneyFormatError extends Error {
  override readonly name = 'MoneyFormatError';
  /** The fault, to follow the path of the amount. */
  readonly text: Text;

  constructor(text: Text) {
    super(text.in('en'));
    this.text = text;
  }
}

const MAX_DIGITS = 15;

/** The range of the database: minor units in an int64. */
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/** The decimals of a currency, 0 to 4. @throws MoneyFormatError for a code without minor unit in ISO 4217 */
export function decimalsOf(currency: string): number {
  const decimals = DECIMALS.get(currency);
  if (decimals === undefined) throw new MoneyFormatError(MONEY_TEXTS('currency-unsupported'));
  return decimals;
}

/**
 * Reads a decimal string ("-12.5", "12.50", "12", "12.500") of at most 15 digits, which every JSON reader represents
 * exactly.
 * @throws MoneyFormatError for another text, or more decimals than the currency has
 */
export function parseMoney(text: string, currency: string): Money {
  const { digits, ...money } = parseDecimal(text, currency);
  if (digits > MAX_DIGITS) throw new MoneyFormatError(MONEY_TEXTS('too-many-digits', { most: MAX_DIGITS }));
  return money;
}

/**
 * Reads a decimal string as the bank's books hold it: up to the ends of int64, in minor units.
 * @throws MoneyFormatError like `parseMoney`
 */
export function parseBookedMoney(text: string, currency: string): Money {
  const { digits: _digits, ...money } = parseDecimal(text, currency);
  if (money.minorUnits < INT64.least || money.minorUnits > INT64.most)
    throw new MoneyFormatError(MONEY_TEXTS('out-of-range'));
  return money;
}

/** `digits`: how many it has with all its decimals, leading zeros included. */
function parseDecimal(text: string, currency: string): Money & { digits: number } {
  const decimals = decimalsOf(currency);
  const match = /^(-?)(\d{1,19})(?:\.(\d{1,15}))?$/.exec(text);
  if (!match) throw new MoneyFormatError(MONEY_TEXTS('not-decimal'));
  const [, sign, whole, fraction = ''] = match as unknown as [string, string, string, string?];
  // "1.000" is the number 1, as it is in JSON: zeros at the end make no further decimals.
  const significant = fraction.replace(/0+$/, '');
  const given = significant.length;
  if (given > decimals)
    throw new MoneyFormatError(MONEY_TEXTS('too-many-decimals', { currency, decimals, given }));
  const digits = whole + significant.padEnd(decimals, '0');
  const units = BigInt(digits);
  return { minorUnits: sign === '-' ? -units : units, currency, digits: digits.length };
}

/** The decimal string with exactly the currency's decimals: "-12.50". */
export function formatMoney({ minorUnits, currency }: Money): string {
  const decimals = decimalsOf(currency);
  const digits = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals);
  return `${minorUnits < 0n ? '-' : ''}${whole}${decimals > 0 ? `.${fraction}` : ''}`;
}
