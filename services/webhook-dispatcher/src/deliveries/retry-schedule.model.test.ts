import { nextWait, readRetryAfter } from './retry-schedule.model.ts';

const schedule = [0, 5_000, 300_000];

describe('the retry schedule (§6: each ±20 %)', () => {
  it.each([
    [1, 0, 4_000],
    [1, 0.5, 5_000],
    [1, 0.999_999, 6_000],
    [2, 0, 240_000],
    [2, 0.5, 300_000],
  ])('waits after %d attempts with random %d for %d ms', (attempts, random, expected) => {
    expect(nextWait({ schedule, attempts, random })).toBe(expected);
  });

  it('ends after the last entry', () => {
    expect(nextWait({ schedule, attempts: 3, random: 0.5 })).toBeUndefined();
    expect(nextWait({ schedule: [0], attempts: 1, random: 0.5 })).toBeUndefined();
  });
});

describe('Retry-After (§6: within 1–2 times the planned wait)', () => {
  it.each([
    [0, 5_000],
    [4_999, 5_000],
    [7_000, 7_000],
    [10_000, 10_000],
    [10_001, 10_000],
    [86_400_000, 10_000],
  ])('of %d ms makes a wait of %d ms out of 5,000', (retryAfter, expected) => {
    expect(nextWait({ schedule, attempts: 1, random: 0.5, retryAfter })).toBe(expected);
  });

  it('does not prolong an exhausted schedule', () => {
    expect(nextWait({ schedule, attempts: 3, random: 0.5, retryAfter: 1_000 })).toBeUndefined();
  });

  const now = new Date('2026-11-21T12:00:00.000Z');

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['99999999999999999999', undefined],
    [['1', '2'], undefined],
    [undefined, undefined],
  ])('reads %j as %s ms', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});
