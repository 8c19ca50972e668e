import { formatDate, formatDay, formatTime } from './date.ts';

describe('a day on a page (§5.9)', () => {
  it.each([
    ['2026-06-30T22:30:00Z', 'en', '1 July 2026'],
    ['2026-06-30T21:30:00Z', 'en', '30 June 2026'],
    ['2026-12-31T23:30:00Z', 'da', '1. januar 2027'],
    ['2026-12-31T22:30:00Z', 'sv', '31 december 2026'],
    ['2026-12-31T23:30:00Z', 'nb', '1. januar 2027'],
  ] as const)('%s is, where the bank is, in %s: %s', (instant, language, day) => {
    expect(formatDay(new Date(instant), language)).toBe(day);
  });
});

describe('a time on a page (§4.4)', () => {
  it.each([
    ['2026-06-30T22:05:59Z', 'en', '00:05'],
    ['2026-12-31T22:05:00Z', 'en', '23:05'],
    ['2026-12-31T22:05:00Z', 'da', '23.05'],
    ['2026-12-31T22:05:00Z', 'sv', '23:05'],
    ['2026-12-31T22:05:00Z', 'nb', '23:05'],
  ] as const)('%s is, where the bank is, in %s: %s', (instant, language, time) => {
    expect(formatTime(new Date(instant), language)).toBe(time);
  });

  it.each([
    ['2026-12-31', 'en', '31 December 2026'],
    ['2027-01-01', 'da', '1. januar 2027'],
    ['2027-01-01', 'sv', '1 januari 2027'],
    ['2027-01-01', 'nb', '1. januar 2027'],
  ] as const)('the day %s is, in %s: %s', (day, language, written) => {
    expect(formatDate(day, language)).toBe(written);
  });
});
