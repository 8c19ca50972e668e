import { Tally } from './tally.ts';

describe('a tally', () => {
  it('counts each key by itself', () => {
    const tally = new Tally();
    tally.add('a', 2);
    tally.add('b', 1);
    tally.add('a', 3);
    expect([tally.of('a'), tally.of('b'), tally.of('c'), tally.size]).toEqual([5, 1, 0, 2]);
  });

  it('forgets what comes to nothing', () => {
    const tally = new Tally();
    tally.add('a', 2);
    tally.add('a', -1);
    expect(tally.size).toBe(1);
    tally.add('a', -1);
    expect([tally.of('a'), tally.size]).toEqual([0, 0]);
  });
});
