import { bankingDayFrom, bankingDayUntil, easterSunday, isBankingDay } from './banking-days.model.ts';
import { addDays, weekday } from './local-date.model.ts';

/** The days from Monday to Friday of a year on which the banks are closed. */
function closedWeekdays(country: 'DK' | 'NO' | 'SE', year: number): string[] {
  const closed: string[] = [];
  for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = addDays(date, 1))
    if (weekday(date) <= 5 && !isBankingDay(country, date)) closed.push(date.slice(5));
  return closed;
}

describe('the banking days of Denmark, Norway and Sweden (§4.5)', () => {
  it.each([
    [1818, '03-22'],
    [1943, '04-25'],
    [1954, '04-18'],
    [1981, '04-19'],
    [2000, '04-23'],
    [2024, '03-31'],
    [2025, '04-20'],
    [2026, '04-05'],
    [2027, '03-28'],
    [2038, '04-25'],
    [2049, '04-18'],
    [2076, '04-19'],
    [2100, '03-28'],
    [2285, '03-22'],
  ])('Easter Sunday of %i is %s', (year, day) => {
    expect(easterSunday(year)).toBe(`${year}-${day}`);
  });

  it.each([
    ['DK', 2024, '01-01 03-28 03-29 04-01 05-09 05-10 05-20 06-05 12-24 12-25 12-26 12-31'],
    ['DK', 2026, '01-01 04-02 04-03 04-06 05-14 05-15 05-25 06-05 12-24 12-25 12-31'],
    ['DK', 2027, '01-01 03-25 03-26 03-29 05-06 05-07 05-17 12-24 12-31'],
    ['NO', 2024, '01-01 03-28 03-29 04-01 05-01 05-09 05-17 05-20 12-24 12-25 12-26'],
    ['NO', 2026, '01-01 04-02 04-03 04-06 05-01 05-14 05-25 12-24 12-25'],
    ['NO', 2027, '01-01 03-25 03-26 03-29 05-06 05-17 12-24'],
    ['SE', 2024, '01-01 03-29 04-01 05-01 05-09 06-06 06-21 12-24 12-25 12-26 12-31'],
    ['SE', 2026, '01-01 01-06 04-03 04-06 05-01 05-14 06-19 12-24 12-25 12-31'],
    ['SE', 2027, '01-01 01-06 03-26 03-29 05-06 06-25 12-24 12-31'],
  ] as const)('in %s, beside the weekends of %i: %s', (country, year, days) => {
    expect(closedWeekdays(country, year)).toEqual(days.split(' '));
  });

  it('are no Saturdays and Sundays', () => {
    const week = ['16', '17', '18', '19', '20', '21', '22'].map((day) => `2026-11-${day}`);
    expect(week.map((date) => isBankingDay('DK', date))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    ['NO', '2024-03-27', '2024-03-27', '2024-03-27'],
    ['NO', '2024-03-28', '2024-04-02', '2024-03-27'],
    ['NO', '2024-04-01', '2024-04-02', '2024-03-27'],
    ['SE', '2027-12-31', '2028-01-03', '2027-12-30'],
    ['DK', '2026-12-24', '2026-12-28', '2026-12-23'],
  ] as const)('in %s from %s on: %s, until then: %s', (country, date, from, until) => {
    expect(bankingDayFrom(country, date)).toBe(from);
    expect(bankingDayUntil(country, date)).toBe(until);
  });
});
