import { addDays, dayOfMonth, weekday } from './local-date.model.ts';

describe('days of the calendar (§4.5)', () => {
  it.each([
    ['1969-12-28', 7],
    ['1970-01-01', 4],
    ['2026-11-22', 7],
    ['2026-11-23', 1],
    ['2026-11-28', 6],
    ['2028-02-29', 2],
  ])('%s is day %i of its week', (date, day) => {
    expect(weekday(date)).toBe(day);
  });

  it.each([
    ['2026-12-31', 1, '2027-01-01'],
    ['2027-01-01', -1, '2026-12-31'],
    ['2028-02-28', 1, '2028-02-29'],
    ['2027-02-28', 1, '2027-03-01'],
    ['2026-03-28', 2, '2026-03-30'],
  ])('%s and %i days more is %s', (date, days, sum) => {
    expect(addDays(date, days)).toBe(sum);
  });

  it.each([
    [2027, 1, 31, '2027-01-31'],
    [2027, 2, 28, '2027-02-28'],
    [2027, 2, 29, '2027-02-28'],
    [2028, 2, 31, '2028-02-29'],
    [2027, 4, 31, '2027-04-30'],
    [2027, 12, 31, '2027-12-31'],
    [2027, 13, 31, '2028-01-31'],
    [2026, 26, 30, '2028-02-29'],
  ])('of the year %i the month %i has as its day %i %s', (year, month, day, date) => {
    expect(dayOfMonth({ year, month, day })).toBe(date);
  });
});
