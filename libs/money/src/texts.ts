import { defineTexts } from '@kontoport/errors';

/** What is wrong with an amount, after its path. */
export const MONEY_TEXTS = defineTexts({
  'currency-unsupported': {
    en: 'has a currency that is not supported',
    da: 'har en valuta, som ikke understøttes',
    sv: 'har en valuta som inte stöds',
    nb: 'har en valuta som ikke støttes',
  },
  'not-decimal': {
    en: 'is not a decimal amount such as "125.50"',
    da: 'er ikke et decimalbeløb som "125.50"',
    sv: 'är inte ett decimalbelopp som "125.50"',
    nb: 'er ikke et desimalbeløp som "125.50"',
  },
  'too-many-decimals': {
    en: 'has too many decimals ({given}); {currency} has {decimals}',
    da: 'har for mange decimaler ({given}); {currency} har {decimals}',
    sv: 'har för många decimaler ({given}); {currency} har {decimals}',
    nb: 'har for mange desimaler ({given}); {currency} har {decimals}',
  },
  'too-many-digits': {
    en: 'has more than {most} digits',
    da: 'har flere end {most} cifre',
    sv: 'har fler än {most} siffror',
    nb: 'har flere enn {most} sifre',
  },
  'out-of-range': {
    en: 'is more than an account can hold',
    da: 'er mere, end en konto kan rumme',
    sv: 'är mer än ett konto rymmer',
    nb: 'er mer enn en konto kan romme',
  },
});
