import { dayAfter, dayOf, dayOfPartition, firstRetainedDay, partitionName } from './partition-day.model.ts';

describe('history is kept in whole days of UTC (§6)', () => {
  it.each([
    ['2026-11-22T00:00:00.000Z', '2026-11-22'],
    ['2026-11-22T23:59:59.999Z', '2026-11-22'],
    ['2026-11-23T00:30:00+01:00', '2026-11-22'],
  ])('%s is of %s', (time, day) => {
    expect(dayOf(new Date(time))).toBe(day);
  });

  it.each([
    ['2026-11-30', '2026-12-01'],
    ['2026-12-31', '2027-01-01'],
    ['2028-02-28', '2028-02-29'],
  ])('after %s comes %s', (day, next) => {
    expect(dayAfter(day)).toBe(next);
  });

  const retentionMs = 30 * 24 * 60 * 60_000;

  it.each([
    ['2026-12-31T00:00:00.000Z', '2026-12-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01'],
    ['2027-01-01T00:00:00.000Z', '2026-12-02'],
  ])('at %s, with 30 days, the first day is %s', (now, day) => {
    expect(firstRetainedDay({ now: new Date(now), retentionMs })).toBe(day);
  });

  it('converts between the name of a partition and its day', () => {
    expect(partitionName('delivery_log', '2026-11-22')).toBe('delivery_log_20261122');
    expect(dayOfPartition('delivery_log_20261122')).toBe('2026-11-22');
    expect(dayOfPartition('delivery_log')).toBeUndefined();
  });
});
