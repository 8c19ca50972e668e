import type { Language } from '@kontoport/errors';
import { LOCALES } from './date.ts';

/**
 * An amount as people write it, with the code of its currency: two countries have a krone each.
 * @param amount.value decimal string, with the decimals that the currency has; every digit of it is written
 */
export function writtenAmount(
  { value, currency }: { value: string; currency: string },
  language: Language,
): string {
  const decimals = value.split('.')[1]?.length ?? 0;
  const format = new Intl.NumberFormat(LOCALES[language], {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  // A string is formatted as it stands; a number would lose digits.
  return format.format(value as Intl.StringNumericLiteral);
}
