import { readSwedishBban } from './swedish-bban.model.ts';

/** A number that fits for both ends of every range of clearing numbers, by the rule of its range. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  'modulus 11 without the first digit of the clearing number': [
    '1100 1234561',
    '1199 1234562',
    '1200 1234562',
    '1399 1234564',
    '1400 1234564',
    '2099 1234561',
    '2400 1234564',
    '2499 1234565',
    '3000 1234560',
    '3299 1234563',
    '3301 1234566',
    '3781 1234564',
    '3783 1234578',
    '3999 1234578',
    '5000 1234560',
    '5999 1234578',
    '7000 1234560',
    '7999 1234578',
    '9060 1234561',
    '9079 1234568',
    '9120 1234565',
    '9124 1234566',
    '9130 1234567',
    '9149 1234563',
    '9170 1234564',
    '9179 1234569',
    '9230 1234568',
    '9239 1234562',
    '9250 1234561',
    '9259 1234566',
    '9270 1234565',
    '9289 1234561',
    '9460 1234565',
    '9469 1234578',
    '9580 1234578',
    '9589 1234564',
    '9630 1234561',
    '9639 1234566',
    '9680 1234560',
    '9689 1234565',
  ],
  'modulus 11 with the whole clearing number': [
    '2300 1234561',
    '2399 1234562',
    '4000 1234567',
    '4999 1234566',
    '9020 1234566',
    '9029 1234560',
    '9040 1234578',
    '9049 1234564',
    '9100 1234563',
    '9109 1234568',
    '9150 1234562',
    '9169 1234569',
    '9190 1234578',
    '9199 1234564',
    '9260 1234565',
    '9269 1234578',
    '9390 1234561',
    '9399 1234566',
    '9470 1234569',
    '9479 1234563',
    '9550 1234566',
    '9569 1234562',
    '9590 1234563',
    '9599 1234568',
    '9640 1234565',
    '9649 1234578',
    '9660 1234569',
    '9679 1234565',
    '9700 1234569',
    '9719 1234565',
    '9750 1234568',
    '9759 1234562',
    '9780 1234563',
    '9789 1234568',
    '9880 1234564',
    '9889 1234569',
  ],
  '10 digits, modulus 10': [
    '3300 8001011231',
    '3782 8001011231',
    '9180 8001011231',
    '9189 8001011231',
    '9300 8001011231',
    '9349 8001011231',
    '9570 8001011231',
    '9579 8001011231',
    '9890 8001011231',
    '9899 8001011231',
  ],
  '9 digits, modulus 11': ['6000 123123453', '6999 123123453'],
  '7 to 10 digits, modulus 10': ['9500 1234566', '9549 1234566', '9960 1234566', '9969 1234566'],
  'modulus 10, not always': ['8000 9123456783', '8999 9123456783'],
};

/** Both ends of every gap between the ranges. */
const GAPS = [
  1000, 1099, 2100, 2299, 2500, 2999, 9000, 9019, 9030, 9039, 9050, 9059, 9080, 9099, 9110, 9119, 9125, 9129,
  9200, 9229, 9240, 9249, 9290, 9299, 9350, 9389, 9400, 9459, 9480, 9499, 9600, 9629, 9650, 9659, 9690, 9699,
  9720, 9749, 9760, 9779, 9790, 9879, 9900, 9959, 9970, 9999,
];

const check = (bban: string) => {
  const { errors, warnings } = readSwedishBban(bban.split(' '));
  return { errors: errors.map(({ rule }) => rule), warnings: warnings.map(({ rule }) => rule) };
};

/** The number with its last digit one higher. */
const spoiled = (bban: string) => bban.slice(0, -1) + String((Number(bban.at(-1)) + 1) % 10);

describe.each(Object.entries(ENDS))(
  'Swedish clearing numbers whose account numbers have %s (§2.10)',
  (rule, numbers) => {
    it.each(numbers)('%s fits, and with another last digit does not', (bban) => {
      expect(check(bban)).toEqual({ errors: [], warnings: [] });
      expect(check(spoiled(bban))).toEqual(
        rule === 'modulus 10, not always'
          ? { errors: [], warnings: ['check-digit-unreliable'] }
          : { errors: ['check-digit'], warnings: [] },
      );
    });
  },
);

describe('Swedish account numbers have the digits of their range (§2.10)', () => {
  it.each([
    ['5000', [7]],
    ['4000', [7]],
    ['3300', [7, 8, 9, 10]],
    ['6000', [7, 8, 9]],
    ['9500', [7, 8, 9, 10]],
    ['8000', [7, 8, 9, 10]],
  ])('after the clearing number %s: %j', (clearing, lengths) => {
    const judged = [7, 8, 9, 10].filter((count) => {
      const { errors } = check(clearing + '1'.repeat(count));
      return !errors.includes('swedish-length') && !errors.includes('swedish-lengths');
    });
    expect(judged).toEqual(lengths);
  });
});

describe('Swedish clearing numbers between the ranges (§2.10)', () => {
  it.each(GAPS)('%s has no rule that is known', (clearing) => {
    expect(check(`${clearing}1234567`)).toEqual({ errors: [], warnings: ['clearing-unknown'] });
  });

  it.each(['0000', '0999'])('%s is none', (clearing) => {
    expect(check(`${clearing}1234567`)).toEqual({ errors: ['clearing-zero'], warnings: [] });
  });
});
