import { writtenDay } from './date.ts';

describe('a day on a page (§5.9)', () => {
  it.each([
    ['2026-06-30T22:30:00Z', 'en', '1 July 2026'],
    ['2026-06-30T21:30:00Z', 'en', '30 June 2026'],
    ['2026-12-31T23:30:00Z', 'da', '1. januar 2027'],
    ['2026-12-31T22:30:00Z', 'sv', '31 december 2026'],
    ['2026-12-31T23:30:00Z', 'nb', '1. januar 2027'],
  ] as const)('%s is, where the bank is, in %s: %s', (instant, language, day) => {
    expect(writtenDay(new Date(instant), language)).toBe(day);
  });
});
