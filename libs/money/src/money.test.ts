import { formatMoney, MoneyFormatError, parseMoney } from './money.ts';

describe('amounts are exact decimals (§2.3)', () => {
  it.each([
    ['125.50', 'DKK', 12550n, '125.50'],
    ['125.5', 'SEK', 12550n, '125.50'],
    ['-0.01', 'NOK', -1n, '-0.01'],
    ['7', 'DKK', 700n, '7.00'],
    ['0', 'DKK', 0n, '0.00'],
    ['-0', 'DKK', 0n, '0.00'],
    ['1500', 'ISK', 1500n, '1500'],
    ['9999999999999.99', 'DKK', 999999999999999n, '9999999999999.99'],
  ])(
    'reads %s %s and writes it with exactly the decimals of the currency',
    (text, currency, units, written) => {
      const money = parseMoney(text, currency);
      expect(money).toEqual({ minorUnits: units, currency });
      expect(formatMoney(money)).toBe(written);
    },
  );

  it.each([
    ['1.234', 'DKK', 'has too many decimals (3); DKK has 2'],
    ['1.5', 'ISK', 'has too many decimals (1); ISK has 0'],
    ['1e3', 'DKK', 'not a decimal amount'],
    ['', 'DKK', 'not a decimal amount'],
    ['+1', 'DKK', 'not a decimal amount'],
    ['1,50', 'DKK', 'not a decimal amount'],
    ['99999999999999.99', 'DKK', 'more than 15 digits'],
    ['1', 'ZZZ', 'currency that is not supported'],
    ['1', 'toString', 'currency that is not supported'],
  ])('refuses %j %s: %s', (text, currency, message) => {
    expect(() => parseMoney(text, currency)).toThrow(MoneyFormatError);
    expect(() => parseMoney(text, currency)).toThrow(message);
  });
});
