import { checkGiroNumber, checkOcr, type Giro, writtenGiroNumber } from './giro.model.ts';
import type { NumberVerdict } from './number-verdict.model.ts';

const read = ({ errors, warnings }: NumberVerdict) => ({
  errors: errors.map((text) => text.in('en')),
  warnings: warnings.map((text) => text.in('en')),
});
const GOOD = { errors: [], warnings: [] };
const CHECK_DIGIT = 'check digit: the last digit does not fit the others (modulus 10)';

/** The digits and the check digit that makes them fit. */
function withCheckDigit(digits: string): string {
  const weighted = Array.from(digits)
    .toReversed()
    .map((digit, i) => String(Number(digit) * (i % 2 === 0 ? 2 : 1)));
  const sum = Array.from(weighted.join(''), Number).reduce((all, digit) => all + digit, 0);
  return digits + String((10 - (sum % 10)) % 10);
}

describe('Swedish giro numbers: length and check digit, modulus 10 (§2.10)', () => {
  it.each([
    ['bankgiro', '5050-1055'],
    ['bankgiro', '50501055'],
    ['bankgiro', '5050 1055'],
    ['bankgiro', '991-2346'],
    ['plusgiro', '4025906-1'],
    ['plusgiro', '40 25 90 61'],
    ['plusgiro', '12 34 56-6'],
    ['plusgiro', '1-8'],
  ] as const)('%s: %s fits', (giro, number) => {
    expect(read(checkGiroNumber(number, giro))).toEqual(GOOD);
  });

  it.each([
    ['bankgiro', 7, 8],
    ['plusgiro', 2, 8],
  ] as const)('%s: %i to %i digits', (giro, least, most) => {
    for (let count = 1; count <= 10; count++) {
      const number = withCheckDigit('1'.repeat(count - 1));
      expect(read(checkGiroNumber(number, giro)).errors).toEqual(
        count >= least && count <= most ? [] : [`giro number: has ${count} digits, not ${least} to ${most}`],
      );
    }
  });

  it.each([
    ['bankgiro', '5050-1056', CHECK_DIGIT],
    ['plusgiro', '4025906-9', CHECK_DIGIT],
    ['bankgiro', '0000000', 'giro number: consists of zeros'],
    ['plusgiro', '00', 'giro number: consists of zeros'],
    ['bankgiro', 'BG 5050-1055', 'giro number: has other characters than digits'],
    ['bankgiro', '5050/1055', 'giro number: has other characters than digits'],
    ['plusgiro', '٤٠٢٥٩٠٦-١', 'giro number: has other characters than digits'],
    ['plusgiro', '-', 'giro number: has other characters than digits'],
  ] as const)('%s: %s: %s', (giro, number, message) => {
    expect(read(checkGiroNumber(number, giro))).toEqual({ errors: [message], warnings: [] });
  });

  it.each(['50501055', '40259061'])('refuses every single altered digit of %s', (good) => {
    for (let place = 0; place < good.length; place++)
      for (let digit = 0; digit < 10; digit++) {
        const number = good.slice(0, place) + String(digit) + good.slice(place + 1);
        for (const giro of ['bankgiro', 'plusgiro'] satisfies Giro[])
          expect(checkGiroNumber(number, giro).errors.length === 0).toBe(number === good);
      }
  });

  it.each([
    ['bankgiro', '50501055', '5050-1055'],
    ['bankgiro', '991 2346', '991-2346'],
    ['plusgiro', '40 25 90 61', '4025906-1'],
    ['plusgiro', '18', '1-8'],
  ] as const)('%s: %s is written %s', (giro, number, written) => {
    expect(writtenGiroNumber(number, giro)).toBe(written);
  });
});

describe('OCR references: 2 to 25 digits, check digit modulus 10, perhaps a length digit (§2.10)', () => {
  it('takes 2 to 25 digits', () => {
    for (let count = 1; count <= 26; count++)
      expect(read(checkOcr(withCheckDigit('7'.repeat(count - 1)))).errors).toEqual(
        count >= 2 && count <= 25 ? [] : [`OCR: has ${count} digits, not 2 to 25`],
      );
  });

  it.each(['123463', '1234 63', '1234567806', '7777777777777777777777750'])(
    'finds the length digit of %s',
    (reference) => {
      expect(read(checkOcr(reference)).warnings).toEqual([]);
    },
  );

  it('warns of every other digit in the place of the length digit, which the receiver may not use', () => {
    const verdicts = Array.from({ length: 10 }, (_none, digit) =>
      read(checkOcr(withCheckDigit(`12345678${digit}`))),
    );
    const warning = expect.stringMatching(/^length digit: .* not 0, .*10 digits/) as string;
    expect(verdicts).toEqual([GOOD, ...Array(9).fill({ errors: [], warnings: [warning] })]);
  });

  it.each([
    ['1234567890', CHECK_DIGIT],
    ['Invoice 7', 'OCR: has other characters than digits'],
    ['1234/567897', 'OCR: has other characters than digits'],
  ])('refuses %s: %s', (reference, message) => {
    expect(read(checkOcr(reference))).toEqual({ errors: [message], warnings: [] });
  });
});
