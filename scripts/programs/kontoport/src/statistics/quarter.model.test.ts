import { daysOf } from './quarter.model.ts';

const later = new Date('2030-01-01T00:00:00Z');
const edges = (quarter: string): unknown => {
  const days = daysOf(quarter, later)!;
  return [days.length, days[0]!.date, days.at(-1)!.date, days.at(-1)!.end.toISOString()];
};

describe('the days of a quarter', () => {
  it.each([
    ['2026-Q1', 90, '2026-01-01', '2026-03-31'],
    ['2028-Q1', 91, '2028-01-01', '2028-03-31'],
    ['2026-Q2', 91, '2026-04-01', '2026-06-30'],
    ['2026-Q3', 92, '2026-07-01', '2026-09-30'],
    ['2026-Q4', 92, '2026-10-01', '2026-12-31'],
  ])('%s are %d', (quarter, count, first, last) => {
    expect(edges(quarter)).toEqual([count, first, last, `${last}T23:59:59.999Z`]);
  });

  it('are those that are over', () => {
    const until = (now: string): unknown => daysOf('2026-Q3', new Date(now))!.map(({ date }) => date);
    expect(until('2026-07-01T23:59:59.999Z')).toEqual([]);
    expect(until('2026-07-02T00:00:00.000Z')).toEqual(['2026-07-01']);
    expect(until('2026-07-03T12:00:00.000Z')).toEqual(['2026-07-01', '2026-07-02']);
  });

  it.each(['2026', '2026-Q0', '2026-Q5', '2026-q1', ' 2026-Q1', '2026-Q1 ', '1926-Q1', ''])(
    'are none of %j',
    (quarter) => {
      expect(daysOf(quarter, later)).toBeUndefined();
    },
  );
});
