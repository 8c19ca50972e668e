import type { Language } from '@kontoport/errors';
import { LOCALES } from './date.ts';

/**
 * Formats an amount for people, with the currency's code, because three countries have a krone.
 * @param amount.value a decimal string; all its digits are shown
 */
export function formatAmount(
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
  // Intl formats a decimal string exactly; a number would lose digits.
  return format.format(value as Intl.StringNumericLiteral);
}
