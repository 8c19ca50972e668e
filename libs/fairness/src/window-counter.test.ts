import { secondsLeft, WindowCounter } from './window-counter.ts';

const at = (ms: number): Date => new Date(Date.parse('2026-11-22T10:00:00Z') + ms);

describe('a window counter', () => {
  it('counts a key until its window ends, and begins anew with the first event after it', () => {
    const counter = new WindowCounter({ windowMs: 60_000 });
    counter.count('a', at(0));
    expect(counter.count('a', at(30_000)).count).toBe(2);
    expect(counter.find('a', at(59_999))?.count).toBe(2);
    expect(counter.find('b', at(0))).toBeUndefined();
    expect(counter.find('a', at(60_000))).toBeUndefined();
    expect(counter.count('a', at(60_000)).count).toBe(1);
  });

  it('returns the whole seconds until a window ends, rounded up', () => {
    const window = new WindowCounter({ windowMs: 60_000 }).count('a', at(0));
    expect([0, 30_000, 59_999].map((ms) => secondsLeft(window, at(ms)))).toEqual([60, 30, 1]);
  });

  it('forgets ended windows, and the oldest one where there are too many keys', () => {
    const counter = new WindowCounter({ windowMs: 60_000, maxKeys: 2 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) counter.count(key, at(index));
    expect(['a', 'b', 'c'].map((key) => counter.find(key, at(2))?.count)).toEqual([undefined, 1, 1]);
    counter.count('d', at(60_002));
    expect(counter.size).toBe(1);
  });
});
