import { type Country, countryOfCurrency } from '../calendar/country-time.model.ts';
import { readBban } from './bban.model.ts';
import { luhnSum } from './number-verdict.model.ts';

const GOOD = { errors: [], warnings: [] };

/** The verdict in English. */
function checkBban(bban: string, country: Country): { errors: string[]; warnings: string[] } {
  const { errors, warnings } = readBban(bban, country);
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
    ['DK50004004', 'account number: has other characters than digits'],
    ['004004401162431', 'account number: has 15 digits, not 14'],
    ['0040044011', 'account number: has 10 digits, not 14'],
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

const LENGTHS = (fault: string): string => `account number: ${fault}; write it with leading zeros`;

describe("Swedish account numbers: clearing number and account number by the bank's rule (§2.10)", () => {
  it.each([
    ['58398257466', '7 digits, modulus 11 without the first digit of the clearing number'],
    ['5839-825 746 6', 'the same, in groups'],
    ['71234567814', '7 digits, modulus 11 without the first digit of the clearing number'],
    ['41234567802', '7 digits, modulus 11 with the whole clearing number'],
    ['90251234500', '7 digits, modulus 11 with the whole clearing number'],
    ['33008001011231', '10 digits, modulus 10'],
    ['95701234567897', '10 digits, modulus 10'],
    ['95701234566', 'the same without leading zeros'],
    ['6123123456703', '9 digits, modulus 11'],
    ['612312345601', 'the same without leading zero'],
    ['95001234566', 'plusgiro number of 7 digits, modulus 10'],
    ['95001234567897', 'plusgiro number of 10 digits, modulus 10'],
    ['81051234566', '7 digits, modulus 10'],
    ['8105 9123456783', 'modulus 10'],
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
    ['3300800101', LENGTHS('has 6 digits after the clearing number 3300, not 7 to 10')],
    ['330080010112311', LENGTHS('has 11 digits after the clearing number 3300, not 7 to 10')],
    ['61231234567030', LENGTHS('has 10 digits after the clearing number 6123, not 7 to 9')],
    ['8327123456', LENGTHS('has 6 digits after the clearing number 8327, not 7 to 10')],
    ['9999123456', LENGTHS('has 6 digits after the clearing number 9999, not 7 to 10')],
    ['832711234567890', 'clearing number: its fifth digit does not fit the other four (modulus 10)'],
    ['08398257466', 'clearing number: begins with 0'],
  ])('refuses %s: %s', (bban, message) => {
    expect(checkBban(bban, 'SE')).toEqual({ errors: [message], warnings: [] });
  });

  it('accepts an account, with a warning, whose bank also has numbers that do not fit', () => {
    const { errors, warnings } = checkBban('81051123456784', 'SE');
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('check digit')]);
  });

  it('accepts a clearing number, with a warning, whose rule is not known', () => {
    const { errors, warnings } = checkBban('99991234567', 'SE');
    expect(errors).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('clearing number: no rule is known for 9999')]);
  });
});

describe('Norwegian account numbers with 00 in places 5 and 6 (§2.10)', () => {
  it('pass with a warning when modulus 11 does not fit, since no source states that they follow it', () => {
    const { errors, warnings } = checkBban('12340012344', 'NO');
    expect([errors.length, warnings.length]).toEqual([0, 1]);
  });
});

describe('the fifth digit of a clearing number from 8000 to 8999 is no part of the account number (§2.10)', () => {
  const read = (bban: string) => {
    const { digits, errors, warnings } = readBban(bban, 'SE');
    return { digits, rules: [...errors, ...warnings].map(({ rule }) => rule) };
  };

  it.each([
    // Typed with the fifth digit: it is left out, with a warning.
    ['8327-9 123456782', '8327123456782', ['clearing-fifth-digit']],
    ['83279-1234566', '83271234566', ['clearing-fifth-digit']],
    ['8327-9,123 456 782', '8327123456782', ['clearing-fifth-digit']],
    ['83279 123455', '83270123455', ['clearing-fifth-digit']],
    // All 15 digits: nothing to decide.
    ['8327-9 0123456782', '83270123456782', []],
    ['8327-9 9123456784', '83279123456784', ['check-digit-unreliable']],
    // Typed without it.
    ['8327 123456782', '8327123456782', []],
    ['8327 9123456783', '83279123456783', []],
    ['8327 1234567', '83271234567', ['check-digit-unreliable']],
    ['81059123456783', '81059123456783', ['clearing-four-digits']],
    // The groups contradict the check digits.
    ['8327-9 91234568', '8327991234568', ['two-accounts']],
    ['8327 9123456782', '83279123456782', ['two-accounts']],
    ['8327-8 1234566', '832781234566', ['clearing-check-digit']],
    // Neither reading fits: 9 could belong to either number.
    ['8327 91234568', '832791234568', ['two-accounts']],
    // A fifth digit 0 is a leading zero, too.
    ['8105-9 123456782', '8105123456782', ['clearing-fifth-digit']],
    ['8001-0 123456782', '80010123456782', []],
    ['8006-0 123456782', '80060123456782', ['clearing-check-digit']],
  ])('%s is read as %s %j', (bban, digits, rules) => {
    expect(read(bban)).toEqual({ digits, rules });
  });

  it('names both accounts when it cannot decide, each in a form that is accepted', () => {
    const [fault] = checkBban('8327 91234568', 'SE').errors;
    const forms = [.../(8327-9 \d{10}) or (8327-9 \d{10})/.exec(fault!)!].slice(1);
    expect(forms.map((form) => readBban(form, 'SE').digits)).toEqual(['83270091234568', '83270001234568']);
  });

  it('never reads a number as another account, however it is written', () => {
    const account = (digits: string) => digits.slice(0, 4) + digits.slice(4).replace(/^0+/, '');
    const misread: string[] = [];
    let accepted = 0;
    for (let clearing = 8000; clearing < 9000; clearing += 7)
      for (let serial = 12_345; serial < 1_000_000_000; serial = serial * 7 + clearing) {
        const number = String(serial) + checkDigit(String(serial));
        for (const between of ['', checkDigit(String(clearing))])
          for (const shown of [number, number.padStart(8, '0'), number.padStart(10, '0')]) {
            const { digits, errors } = readBban(`${clearing}${between}${shown}`, 'SE');
            if (errors.length > 0) continue;
            accepted += 1;
            if (account(digits) !== `${clearing}${number}`) misread.push(`${clearing} ${between} ${shown}`);
          }
      }
    expect(misread).toEqual([]);
    expect(accepted).toBeGreaterThan(4_000);
  });
});

/** The digit that makes the sum of Luhn a multiple of 10. */
function checkDigit(digits: string): string {
  return String((10 - (luhnSum(`${digits}0`) % 10)) % 10);
}

describe('an account number as banks and PDFs print it (§2.10)', () => {
  it.each([
    ['no-break space', '\u00a0'],
    ['narrow no-break space', '\u202f'],
    ['thin space', '\u2009'],
    ['figure space', '\u2007'],
    ['tab', '\t'],
    ['en dash', '\u2013'],
    ['non-breaking hyphen', '\u2011'],
    ['minus', '\u2212'],
    ['soft hyphen', '\u00ad'],
    ['zero-width space', '\u200b'],
    ['left-to-right embedding', '\u202a'],
    ['comma', ','],
  ])('may be grouped by a %s', (_name, separator) => {
    expect(readBban(['0040', '0440', '116243'].join(separator), 'DK')).toEqual({
      digits: '00400440116243',
      ...GOOD,
    });
    expect(readBban(['5839', '825746', '6'].join(separator), 'SE')).toEqual({
      digits: '58398257466',
      ...GOOD,
    });
  });
});

describe('an IBAN in place of a domestic account number (§2.10)', () => {
  const IBAN = 'account number: is an IBAN; ';
  it.each([
    ['DK5000400440116243', 'DK', 'its domestic account number is 00400440116243'],
    ['DK50 0040 0440 1162 43', 'DK', 'its domestic account number is 00400440116243'],
    ['no93 8601 1117 947', 'NO', 'its domestic account number is 86011117947'],
    ['SE45 5000 0000 0583 9825 7466', 'SE', 'its domestic account number is 58398257466'],
    ['DK5100400440116243', 'DK', 'the domestic account number is needed'],
    ['NO9386011117947', 'DK', 'the domestic account number is needed'],
    // The fifth digit of the clearing number is no part of the domestic number.
    ['SE7280000810340009783242', 'SE', 'its domestic account number is 81030009783242'],
    ['IBAN: DK50 0040 0440 1162 43', 'DK', 'its domestic account number is 00400440116243'],
    ['iban NO93 8601 1117 947', 'NO', 'its domestic account number is 86011117947'],
    // Only the account number of these is in the IBAN.
    ['SE78 6000 0000 0004 5612 3789', 'SE', 'the domestic account number is needed'],
    ['SE3930000000008001011231', 'SE', 'the domestic account number is needed'],
    ['DE89370400440532013000', 'SE', 'the domestic account number is needed'],
  ] as const)('%s in %s: %s', (iban, country, message) => {
    expect(checkBban(iban, country)).toEqual({ errors: [IBAN + message], warnings: [] });
  });
});
