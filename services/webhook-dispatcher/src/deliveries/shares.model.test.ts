import { inTurn, type Party, Shares } from './shares.model.ts';

const client = (clientId: string, organization?: string): Party => ({ clientId, organization });

/** Takes until it is refused; how much that was. */
function takeAll(shares: Shares, party: Party): number {
  let taken = 0;
  for (; shares.limit(party) === undefined; taken++) shares.take(party);
  return taken;
}

describe('a share (ADR-0034: of what is left)', () => {
  it('of a single client is its part of the rest, and not more', () => {
    const shares = new Shares({ most: 100, share: 0.25 });
    // With 20 taken, 80 are left, and a quarter of them is 20.
    expect(takeAll(shares, client('a'))).toBe(20);
    expect(shares.limit(client('a'))).toBe('client');
  });

  it('is left for the next, however many took theirs before', () => {
    const shares = new Shares({ most: 512, share: 0.25 });
    for (let i = 0; i < 20; i++) takeAll(shares, client(`greedy ${i}`));
    expect(shares.limit(client('next'))).toBeUndefined();
  });

  it('counts all clients of an organization together', () => {
    const shares = new Shares({ most: 100, share: 0.25 });
    const taken = [1, 2, 3].map((i) => takeAll(shares, client(`c${i}`, 'one')));
    expect(taken).toEqual([20, 0, 0]);
    expect(shares.limit(client('c2', 'one'))).toBe('organization');
    expect(shares.limit(client('c2', 'other'))).toBeUndefined();
    expect(shares.limit(client('c2'))).toBeUndefined();
  });

  it('comes back with what is given back', () => {
    const shares = new Shares({ most: 100, share: 0.25 });
    takeAll(shares, client('a', 'one'));
    shares.giveBack(client('a', 'one'));
    expect(shares.limit(client('b', 'one'))).toBeUndefined();
    expect(takeAll(shares, client('a', 'one'))).toBe(1);
  });

  it('is nothing when nothing is left', () => {
    const shares = new Shares({ most: 2, share: 1 });
    shares.take(client('a'));
    expect(shares.limit(client('b'))).toBeUndefined();
    shares.take(client('b'));
    expect(shares.limit(client('c'))).toBe('all');
  });
});

describe('turns (ADR-0034: who holds least is served first)', () => {
  it('go round the clients, and begin with those that have least', () => {
    const shares = new Shares({ most: 100, share: 1 });
    shares.take(client('a'));
    const lanes = [
      ['a', 1],
      ['a', 2],
      ['b', 3],
      ['b', 4],
      ['b', 5],
      ['c', 6],
    ] as const;
    const candidates = lanes.map(([clientId, lane]) => ({ clientId, lane }));
    expect(inTurn(candidates, shares).map(({ lane }) => lane)).toEqual([3, 6, 1, 4, 2, 5]);
  });
});
