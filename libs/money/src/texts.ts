import { defineTexts } from '@kontoport/errors';

/** Faults of an amount, to follow its path. */
export const MONEY_TEXTS = defineTexts({
  'currency-unsupported': 'has a currency that is not supported',
  'not-decimal': 'is not a decimal amount such as "125.50"',
  'too-many-decimals': 'has too many decimals ({given}); {currency} has {decimals}',
  'too-many-digits': 'has more than {most} digits',
  'out-of-range': 'is more than an account can hold',
});
