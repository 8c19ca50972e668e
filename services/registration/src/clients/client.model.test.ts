import { endOfName, nextName } from './client.model.ts';

const now = new Date('2026-06-01T12:00:00Z');
const chain = (displayName: string | null, endsIn: number) => ({
  displayName,
  notAfter: new Date(now.getTime() + endsIn),
});

describe('a display name lives as long as a chain that backs it (§2.1)', () => {
  it('until the last of them ends, whatever their order', () => {
    const chains = [chain('A', 5_000), chain('A', 9_000), chain('A', 7_000), chain('B', 99_000)];
    expect(endOfName(chains, 'A')).toEqual(new Date(now.getTime() + 9_000));
  });

  it('and has no end where none backs it', () => {
    expect(endOfName([chain('A', 1), chain(null, 2)], 'B')).toBeUndefined();
    expect(endOfName([], 'A')).toBeUndefined();
  });
});

describe('the name that follows one whose chains have ended (§2.1)', () => {
  it('is that of the oldest live chain, until the last of its chains ends', () => {
    const chains = [
      chain('Ended', -60_001),
      chain('Next', 1_000),
      chain('Other', 9_000),
      chain('Next', 5_000),
    ];
    expect(nextName(chains, now)).toEqual({
      displayName: 'Next',
      namedUntil: new Date(now.getTime() + 5_000),
    });
  });

  it('may be of a chain that has ended a minute ago, for clocks differ (§5.1)', () => {
    expect(nextName([chain('A', -60_000)], now)?.displayName).toBe('A');
    expect(nextName([chain('A', -60_001)], now)).toBeUndefined();
  });

  it('is none where no chain lives', () => {
    expect(nextName([], now)).toBeUndefined();
  });
});
