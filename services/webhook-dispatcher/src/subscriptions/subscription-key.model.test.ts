import { randomInt } from 'node:crypto';
import { newSubscriptionKey } from './subscription-key.model.ts';

describe('subscriptionKey (§2.11, §8)', () => {
  const keys = Array.from({ length: 2_000 }, () => newSubscriptionKey((below) => randomInt(below)));

  it('is 32 characters, only letters A-Z and a-z', () => {
    for (const key of keys) expect(key).toMatch(/^[A-Za-z]{32}$/);
  });

  it('is never the same twice', () => {
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('favours no letter', () => {
    const counts = Map.groupBy(keys.join(''), (letter) => letter);
    const expected = (keys.length * 32) / 52;
    const chiSquare = [...counts.values()].reduce(
      (sum, { length }) => sum + (length - expected) ** 2 / expected,
      0,
    );
    expect(counts.size).toBe(52);
    // 51 degrees of freedom: above 120 about once in ten million runs; a remainder of 256 by 52 gives thousands.
    expect(chiSquare).toBeLessThan(120);
  });
});
