import { addDays } from './calendar/local-date.model.ts';
import { FREQUENCIES, isOfMonths, lastRunBy, plannedRun, type Schedule } from './schedule.model.ts';

const MONTHLY: Schedule = { startDate: '2027-01-31', frequency: 'Monthly', executionRule: 'following' };

const days = (given: Partial<Schedule>, count: number, country: 'DK' | 'NO' | 'SE' = 'DK'): string =>
  Array.from({ length: count }, (_none, i) => plannedRun({ ...MONTHLY, ...given }, i, country))
    .map((run) => run?.executionDate ?? 'none')
    .join(' ');

describe('a standing order runs by its frequency, on banking days (§4.5)', () => {
  it.each([
    ['Daily', '2027-01-04 2027-01-05 2027-01-06 2027-01-07'],
    ['Weekly', '2027-01-04 2027-01-11 2027-01-18 2027-01-25'],
    ['EveryTwoWeeks', '2027-01-04 2027-01-18 2027-02-01 2027-02-15'],
    ['Monthly', '2027-01-04 2027-02-04 2027-03-04 2027-04-05'],
    ['EveryTwoMonths', '2027-01-04 2027-03-04 2027-05-04 2027-07-05'],
    ['Quarterly', '2027-01-04 2027-04-05 2027-07-05 2027-10-04'],
    ['SemiAnnual', '2027-01-04 2027-07-05 2028-01-04 2028-07-04'],
    ['Annual', '2027-01-04 2028-01-04 2029-01-04 2030-01-04'],
  ] as const)('%s: %s', (frequency, expected) => {
    expect(days({ startDate: '2027-01-04', frequency }, 4)).toBe(expected);
  });

  it.each([
    ['the 31st, and the last day of shorter months', {}, '2027-02-01 2027-03-01 2027-03-31 2027-04-30'],
    [
      'the same before weekends, but never before the start',
      { executionRule: 'preceding' },
      '2027-02-01 2027-02-26 2027-03-31 2027-04-30',
    ],
    [
      'the last day of February, each year',
      { startDate: '2028-02-29', frequency: 'Annual' },
      '2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-03-01',
    ],
    [
      'before weekends, on the start itself at the earliest',
      { startDate: '2027-02-26', frequency: 'Daily', executionRule: 'preceding' },
      '2027-02-26 2027-02-26 2027-02-26 2027-03-01',
    ],
    ['another day of the month than that of the start', { dayOfExecution: 15 }, '2027-02-15 2027-03-15'],
    ['that day itself', { startDate: '2027-02-15', dayOfExecution: 15 }, '2027-02-15 2027-03-15'],
    [
      'that day a month later',
      { startDate: '2027-02-16', dayOfExecution: 15 },
      '2027-03-15 2027-04-15 2027-05-18',
    ],
    [
      'ultimo, from the end of a short month on',
      { startDate: '2027-04-30', dayOfExecution: 31 },
      '2027-04-30 2027-05-31 2027-06-30 2027-08-02',
    ],
    [
      'up to the last day',
      { startDate: '2027-02-15', endDate: '2027-04-15' },
      '2027-02-15 2027-03-15 2027-04-15 none',
    ],
    [
      'not beyond the last day',
      { startDate: '2027-02-15', endDate: '2027-04-14' },
      '2027-02-15 2027-03-15 none none',
    ],
    [
      'after the last day, where that is a Sunday',
      { startDate: '2027-01-31', endDate: '2027-01-31' },
      '2027-02-01 none',
    ],
  ] as [string, Partial<Schedule>, string][])('%s', (_what, given, expected) => {
    expect(days(given, expected.split(' ').length)).toBe(expected);
  });

  it('asks the calendar of its country', () => {
    const weekly = { startDate: '2027-06-25', frequency: 'Weekly' } as const;
    expect(days(weekly, 2, 'DK')).toBe('2027-06-25 2027-07-02');
    expect(days(weekly, 2, 'SE')).toBe('2027-06-28 2027-07-02');
  });
});

describe('missed runs are made up for once (§4.5)', () => {
  /** The same by looking at every run. */
  const slowly = (schedule: Schedule, index: number, today: string) => {
    let last: ReturnType<typeof plannedRun>;
    for (let i = index; ; i++) {
      const run = plannedRun(schedule, i, 'NO');
      if (run === undefined || run.executionDate > today) return last;
      last = run;
    }
  };

  it.each(FREQUENCIES)('of %s runs the last one that is due counts, however long ago', (frequency) => {
    let found = 0;
    for (const startDate of ['2027-01-31', '2027-02-01', '2027-03-25'])
      for (const executionRule of ['following', 'preceding'] as const)
        for (const dayOfExecution of isOfMonths(frequency) ? [undefined, 1, 15, 31] : [undefined])
          for (const endDate of [undefined, addDays(startDate, 45)])
            for (const index of [0, 1, 4])
              for (const ahead of [0, 1, 2, 6, 30, 45, 46, 75, isOfMonths(frequency) ? 400 : 90]) {
                const schedule = { startDate, endDate, frequency, dayOfExecution, executionRule };
                const today = addDays(startDate, ahead);
                const expected = slowly(schedule, index, today);
                expect(lastRunBy(schedule, { index, today, country: 'NO' })).toEqual(expected);
                found += expected === undefined ? 0 : 1;
              }
    expect(found).toBeGreaterThan(0);
  });

  it('counts a run on its day, not the day before', () => {
    const by = (today: string) => lastRunBy(MONTHLY, { index: 0, today, country: 'DK' });
    expect(by('2027-01-31')).toBeUndefined();
    expect(by('2027-02-01')).toEqual({ index: 0, executionDate: '2027-02-01' });
    expect(by('2027-03-01')).toEqual({ index: 1, executionDate: '2027-03-01' });
  });
});
