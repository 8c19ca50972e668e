import { failingMs, streakAfter, streakAtClaim } from './failure-streak.model.ts';

const failed = (endedAt: number) => ({ isAccepted: false, endedAt });
const accepted = (endedAt: number) => ({ isAccepted: true, endedAt });

describe('a streak of failures (§6)', () => {
  it('continues the streak of the claim, and leaves its beginning to the database', () => {
    const streak = streakAfter(streakAtClaim(7), failed(100));
    expect(streak.failures).toBe(8);
    expect(failingMs(streak, 500)).toBeUndefined();
  });

  it('begins with the first failure', () => {
    const first = streakAfter(streakAtClaim(0), failed(100));
    const second = streakAfter(first, failed(300));
    expect(second.failures).toBe(2);
    expect(failingMs(second, 500)).toBe(400);
  });

  it('ends with a success; the next failure begins another', () => {
    const ended = streakAfter(streakAtClaim(7), accepted(100));
    expect(ended.failures).toBe(0);
    expect(failingMs(ended, 500)).toBeUndefined();
    const another = streakAfter(ended, failed(200));
    expect(another.failures).toBe(1);
    expect(failingMs(another, 500)).toBe(300);
  });

  it('stops counting at the largest number of the column', () => {
    expect(streakAfter(streakAtClaim(1_000_000), failed(1)).failures).toBe(1_000_000);
    expect(streakAfter(streakAtClaim(999_999), failed(1)).failures).toBe(1_000_000);
  });
});
