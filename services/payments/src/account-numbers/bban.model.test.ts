import { type Country, countryOfCurrency } from '../calendar/country-time.model.ts';
import { checkBban as verdictOf } from './bban.model.ts';

const GOOD = { errors: [], warnings: [] };

/** The verdict in English. */
function checkBban(bban: string, country: Country): { errors: string[]; warnings: string[] } {
  const { errors, warnings } = verdictOf(bban, country);
  return { errors: errors.map((text) => text.in('en')), warnings: warnings.map((text) => text.in('en')) };
}

describe('the country of a domestic account follows from the currency (§2.10)', () => {
  it.each([
    ['DKK', 'DK'],
    ['NOK', 'NO'],
    ['SEK', 'SE'],
    ['EUR', undefined],
    ['toString', undefined],
  ])('%s: %s', (currency, country) => {
    expect(countryOfCurrency(currency)).toBe(country);
  });
});

describe('Danish account numbers: 4 digits of the registration number, 10 of the account (§2.10)', () => {
  it.each(['00400440116243', '0040 0440116243', '0040-0440.116243', '99990000000001'])(
    'accepts %s',
    (bban) => {
      expect(checkBban(bban, 'DK')).toEqual(GOOD);
    },
  );

  it.each([
    ['0040440116243', 'account number: has 13 digits, not 14'],
    ['00000440116243', 'registration number: 0000 is no bank'],
    ['00001440116243', 'registration number: 0000 is no bank'],
    ['00400000000000', 'account number: consists of zeros'],
    ['DK500040044011', 'account number: has other characters than digits'],
    ['004004401162431', 'account number: has 15 digits, not 11 to 14'],
    ['0040044011', 'account number: has 10 digits, not 11 to 14'],
    ['٠٠٤٠٠٤٤٠١١٦٢٤٣', 'account number: has other characters than digits'],
  ])('refuses %s: %s', (bban, message) => {
    expect(checkBban(bban, 'DK').errors).toEqual([expect.stringContaining(message)]);
  });
});

describe('Norwegian account numbers: 11 digits, modulus 11 (§2.10)', () => {
  it.each(['86011117947', '12345678903', '8601.11.17947'])('accepts %s', (bban) => {
    expect(checkBban(bban, 'NO')).toEqual(GOOD);
  });

  it.each([
    ['86011117948', 'check digit: the last digit does not fit'],
    ['86011117974', 'check digit: the last digit does not fit'],
    ['860111179470', 'account number: has 12 digits, not 11'],
    ['00001117947', 'registration number: 0000 is no bank'],
  ])('refuses %s: %s', (bban, message) => {
    expect(checkBban(bban, 'NO').errors).toEqual([expect.stringContaining(message)]);
  });

  it('refuses every single altered digit', () => {
    const good = '86011117947';
    for (let place = 0; place < good.length; place++)
      for (let digit = 0; digit < 10; digit++) {
        const bban = good.slice(0, place) + String(digit) + good.slice(place + 1);
        expect(checkBban(bban, 'NO').errors.length === 0).toBe(bban === good);
      }
  });
});

describe("Swedish account numbers: clearing number and account number by the bank's rule (§2.10)", () => {
  it.each([
    ['58398257466', '7 digits, modulus 11 without the first digit of the clearing number'],
    ['5839-825 746 6', 'the same, in groups'],
    ['71234567814', '7 digits, modulus 11 without the first digit of the clearing number'],
    ['41234567802', '7 digits, modulus 11 with the whole clearing number'],
    ['90251234500', '7 digits, modulus 11 with the whole clearing number'],
    ['33008001011231', '10 digits, modulus 10'],
    ['95701234567897', '10 digits, modulus 10'],
    ['6123123456703', '9 digits, modulus 11'],
    ['612312345601', 'the same without leading zero'],
    ['95001234566', 'plusgiro number of 7 digits, modulus 10'],
    ['95001234567897', 'plusgiro number of 10 digits, modulus 10'],
    ['81051234566', '7 digits, modulus 10'],
    ['81059123456783', 'modulus 10'],
  ])('accepts %s (%s)', (bban) => {
    expect(checkBban(bban, 'SE')).toEqual(GOOD);
  });

  it.each([
    ['58398257467', 'check digit: the last digit does not fit the others (modulus 11)'],
    ['41234567803', 'check digit: the last digit does not fit the others (modulus 11)'],
    ['6123123456704', 'check digit: the last digit does not fit the others (modulus 11)'],
    ['33008001011232', 'check digit: the last digit does not fit the others (modulus 10)'],
    ['95001234567', 'check digit: the last digit does not fit the others (modulus 10)'],
    ['583982574661', 'account number: has 8 digits after the clearing number 5839, not 7'],
    ['33008001011', 'account number: has 7 digits after the clearing number 3300, not 10'],
    ['61231234567030', 'account number: has 10 digits after the clearing number 6123, not 8 or 9'],
    ['08398257466', 'clearing number: begins with 0'],
  ])('refuses %s: %s', (bban, message) => {
    expect(checkBban(bban, 'SE')).toEqual({ errors: [message], warnings: [] });
  });

  it('lets an account pass whose bank also has numbers that do not fit, and says so', () => {
    const { errors, warnings } = checkBban('81059123456784', 'SE');
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('check digit')]);
  });

  it('lets a clearing number pass whose rule is not known, and says so', () => {
    const { errors, warnings } = checkBban('99991234567', 'SE');
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('clearing number: no rule is known for 9999')]);
  });
});
