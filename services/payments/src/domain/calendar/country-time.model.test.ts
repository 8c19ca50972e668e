import { beginOf, dateIn } from './country-time.model.ts';

describe('a day begins by the clocks of its country (§4.5)', () => {
  it.each([
    ['2026-01-15', '2026-01-14T23:00:00.000Z'],
    ['2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', '2026-10-25T23:00:00.000Z'],
  ])('%s begins at %s', (date, begin) => {
    for (const country of ['DK', 'NO', 'SE'] as const) {
      expect(beginOf(country, date).toISOString()).toBe(begin);
      expect(dateIn(country, new Date(begin))).toBe(date);
      expect(dateIn(country, new Date(Date.parse(begin) - 1)) < date).toBe(true);
    }
  });
});
