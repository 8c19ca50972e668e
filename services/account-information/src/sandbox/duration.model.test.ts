import { lengthOf, parseDuration } from './duration.model.ts';

const DAY = 86_400_000;
const start = new Date('2027-01-31T10:00:00.000Z');

describe('a duration is ISO 8601 or seconds (§Sandbox)', () => {
  it.each([
    [0, 0],
    [1, 1_000],
    [999_999_999, 999_999_999_000],
    ['PT0S', 0],
    ['PT1S', 1_000],
    ['PT2M', 120_000],
    ['PT36H', 1.5 * DAY],
    ['P1D', DAY],
    ['P2W', 14 * DAY],
    ['P1DT1H1M1S', DAY + 3_661_000],
    ['P1M', 28 * DAY],
    ['P2M', 59 * DAY],
    ['P1Y', 365 * DAY],
    ['P13M', (365 + 29) * DAY],
    ['P1Y2M3W4DT5H6M7S', (365 + 60 + 25) * DAY + 18_367_000],
  ])('%s lasts %i ms from the end of a January', (given, milliseconds) => {
    expect(lengthOf(parseDuration(given)!, start)).toBe(milliseconds);
  });

  it('counts months by the calendar, at most to their last day', () => {
    const month = parseDuration('P1M')!;
    expect(lengthOf(month, new Date('2028-01-31T00:00:00Z'))).toBe(29 * DAY);
    expect(lengthOf(month, new Date('2027-02-28T00:00:00Z'))).toBe(28 * DAY);
    expect(lengthOf(month, new Date('2027-12-31T23:59:59Z'))).toBe(31 * DAY);
  });

  it.each([
    'P',
    'PT',
    'P1',
    'P1H',
    '1D',
    'P-1D',
    '-P1D',
    'P1.5D',
    'PT1H1D',
    'P1DT',
    'p1d',
    '',
    ' P1D',
    'P9999999999D',
  ])('refuses %j', (given) => expect(parseDuration(given)).toBeUndefined());
  it.each([-1, 0.5, 1_000_000_000, Infinity, NaN])('refuses %d seconds', (given) =>
    expect(parseDuration(given)).toBeUndefined(),
  );

  it('is longer than every limit where no date can represent it', () => {
    expect(lengthOf(parseDuration('P999999999Y')!, start)).toBe(Infinity);
  });
});
