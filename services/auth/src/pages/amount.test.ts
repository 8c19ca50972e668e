import { formatAmount } from './amount.ts';

describe('an amount on a page (§4.4)', () => {
  it.each([
    ['8250.00', 'DKK', 'en', 'DKK 8,250.00'],
    ['8250.00', 'DKK', 'da', '8.250,00 DKK'],
    ['8250.00', 'SEK', 'sv', '8 250,00 SEK'],
    ['8250.00', 'NOK', 'nb', '8 250,00 NOK'],
    ['9999999999999.99', 'DKK', 'en', 'DKK 9,999,999,999,999.99'],
    ['19999999999999.98', 'SEK', 'da', '19.999.999.999.999,98 SEK'],
    ['0.01', 'NOK', 'en', 'NOK 0.01'],
    ['1500', 'ISK', 'en', 'ISK 1,500'],
  ] as const)('%s %s is, in %s: %s', (value, currency, language, written) => {
    expect(formatAmount({ value, currency }, language).replaceAll(/\s/g, ' ')).toBe(written);
  });
});
