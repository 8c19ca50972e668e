import fc from 'fast-check';
import { DECIMALS } from './currencies.ts';
import { decimalsOf, formatMoney, MoneyFormatError, parseBookedMoney, parseMoney } from './money.ts';

describe('amounts are exact decimals (§2.3)', () => {
  it.each([
    ['125.50', 'DKK', 12550n, '125.50'],
    ['125.5', 'SEK', 12550n, '125.50'],
    ['-0.01', 'NOK', -1n, '-0.01'],
    ['7', 'DKK', 700n, '7.00'],
    ['1.000', 'DKK', 100n, '1.00'],
    ['12.50000', 'SEK', 1250n, '12.50'],
    ['1500.00', 'ISK', 1500n, '1500'],
    ['0', 'DKK', 0n, '0.00'],
    ['-0', 'DKK', 0n, '0.00'],
    ['1500', 'ISK', 1500n, '1500'],
    ['-12.345', 'KWD', -12345n, '-12.345'],
    ['0.5', 'TND', 500n, '0.500'],
    ['1.0001', 'CLF', 10001n, '1.0001'],
    ['12.5', 'CHE', 1250n, '12.50'],
    ['99999999999.9999', 'UYW', 999999999999999n, '99999999999.9999'],
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
    ['1.0010', 'DKK', 'has too many decimals (3); DKK has 2'],
    ['1.5', 'ISK', 'has too many decimals (1); ISK has 0'],
    ['1.2345', 'BHD', 'has too many decimals (4); BHD has 3'],
    ['1.23456', 'CLF', 'has too many decimals (5); CLF has 4'],
    ['100000000000.0000', 'UYW', 'more than 15 digits'],
    ['1', 'XAU', 'currency that is not supported'],
    ['1', 'XTS', 'currency that is not supported'],
    ['1', 'dkk', 'currency that is not supported'],
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

describe('amounts of the books reach both ends of int64 (§2.3)', () => {
  it.each([
    ['9223372036854775807', 'JPY', 9223372036854775807n],
    ['-9223372036854775808', 'JPY', -9223372036854775808n],
    ['92233720368547758.07', 'DKK', 9223372036854775807n],
    ['-92233720368547758.08', 'DKK', -9223372036854775808n],
    ['9223372036854775.807', 'KWD', 9223372036854775807n],
    ['-922337203685477.5808', 'CLF', -9223372036854775808n],
  ])('reads and writes %s %s', (text, currency, minorUnits) => {
    expect(parseBookedMoney(text, currency)).toEqual({ minorUnits, currency });
    expect(formatMoney({ minorUnits, currency })).toBe(text);
    expect(() => parseMoney(text, currency)).toThrow('more than 15 digits');
  });

  it.each([
    ['9223372036854775808', 'JPY', 'more than an account can hold'],
    ['-92233720368547758.09', 'DKK', 'more than an account can hold'],
    ['12345678901234567890', 'JPY', 'not a decimal amount'],
    ['1.234', 'DKK', 'too many decimals'],
    ['1', 'ZZZ', 'not supported'],
  ])('refuses %s %s', (text, currency, message) => {
    expect(() => parseBookedMoney(text, currency)).toThrow(message);
  });
});

describe('every currency of ISO 4217 has its decimals (§2.3)', () => {
  it('writes and reads every amount of every currency without loss', () => {
    const most = 999_999_999_999_999n;
    const money = fc.record({
      minorUnits: fc.bigInt({ min: -most, max: most }),
      currency: fc.constantFrom(...DECIMALS.keys()),
    });
    fc.assert(
      fc.property(money, (given) => {
        expect(parseMoney(formatMoney(given), given.currency)).toEqual(given);
      }),
    );
  });

  it('has each code once, in three capital letters', () => {
    expect([...DECIMALS.keys()].filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
    const count = (decimals: number): number =>
      [...DECIMALS.values()].filter((own) => own === decimals).length;
    expect([0, 1, 2, 3, 4].map(count)).toEqual([17, 0, 145, 7, 2]);
  });

  it('agrees with the currencies of the runtime', () => {
    // Special drawing rights and the sucre are units of account without a minor unit.
    const known = Intl.supportedValuesOf('currency').filter((code) => !['XDR', 'XSU'].includes(code));
    expect(known.filter((code) => !DECIMALS.has(code))).toEqual([]);
    // The runtime leaves out decimals that nobody uses at a till; ISO 4217 has them.
    const untold = new Set('AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SLL SOS SYP YER'.split(' '));
    const told = (currency: string): number | undefined =>
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
    for (const code of known.filter((candidate) => !untold.has(candidate)))
      expect([code, decimalsOf(code)]).toEqual([code, told(code)]);
    for (const code of untold) expect([code, decimalsOf(code)]).toEqual([code, code === 'IQD' ? 3 : 2]);
  });
});
