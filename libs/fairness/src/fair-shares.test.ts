import { FairShares, type Party } from './fair-shares.ts';
import { roundRobin } from './round-robin.ts';

const client = (clientId: string, organization?: string): Party => ({ clientId, organization });

/** Takes slots until a bound is reached. @returns how many */
function takeAll(shares: FairShares, party: Party): number {
  let taken = 0;
  for (; shares.boundOf(party) === undefined; taken++) shares.acquire(party);
  return taken;
}

describe('fair shares', () => {
  it('give one party its part of what is free, and no more', () => {
    const shares = new FairShares({ max: 100, share: 0.25 });
    // With 20 taken, 80 are free, and a quarter of them is 20.
    expect(takeAll(shares, client('a'))).toBe(20);
    expect(shares.boundOf(client('a'))).toBe('client');
  });

  it('leave some for the next party, however many took theirs before', () => {
    const shares = new FairShares({ max: 512, share: 0.25 });
    for (let i = 0; i < 20; i++) takeAll(shares, client(`greedy ${i}`));
    expect(shares.boundOf(client('next'))).toBeUndefined();
  });

  it('count all clients of an organization together', () => {
    const shares = new FairShares({ max: 100, share: 0.25 });
    expect([1, 2, 3].map((i) => takeAll(shares, client(`c${i}`, 'one')))).toEqual([20, 0, 0]);
    expect(shares.boundOf(client('c2', 'one'))).toBe('organization');
    expect(shares.boundOf(client('c2', 'other'))).toBeUndefined();
    expect(shares.boundOf(client('c2'))).toBeUndefined();
  });

  it('grow again with each slot that is released', () => {
    const shares = new FairShares({ max: 100, share: 0.25 });
    takeAll(shares, client('a', 'one'));
    shares.release(client('a', 'one'));
    expect(takeAll(shares, client('b', 'one'))).toBe(1);
  });

  it('end when no slot is free', () => {
    const shares = new FairShares({ max: 1, share: 1 });
    expect(takeAll(shares, client('a'))).toBe(1);
    expect(shares.boundOf(client('b'))).toBe('total');
  });
});

describe('round-robin', () => {
  const items = ['a1', 'a2', 'b3', 'b4', 'b5', 'c6'];
  const keyOf = (item: string): string => item[0]!;

  it('takes one of each key before a second of any', () => {
    expect(roundRobin(items, { keyOf })).toEqual(['a1', 'b3', 'c6', 'a2', 'b4', 'b5']);
  });

  it('serves keys first that hold least', () => {
    const heldBy = (key: string): number => (key === 'a' ? 1 : 0);
    expect(roundRobin(items, { keyOf, heldBy })).toEqual(['b3', 'c6', 'a1', 'b4', 'a2', 'b5']);
  });
});
