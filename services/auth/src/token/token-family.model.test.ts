import { accessTokenId, judgeRefresh, subjectOf } from './token-family.model.ts';

const at = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(at.getTime() + ms);
const family = { generation: 7, rotatedAt: at, rotatedOver: 'mine' };

describe('the classes of a refresh token (§5.9)', () => {
  it.each<[string, number, string, number, ReturnType<typeof judgeRefresh>]>([
    ['the newest', 7, 'mine', 0, 'newest'],
    ['the newest, after any time and over any certificate', 7, 'other', 1e9, 'newest'],
    ['the one before, at once', 6, 'mine', 0, 'repeated'],
    ['the one before, in the last moment', 6, 'mine', 29_999, 'repeated'],
    ['the one before, half a minute after', 6, 'mine', 30_000, 'reused'],
    ['the one before, over another certificate', 6, 'other', 0, 'reused'],
    ['the one before that', 5, 'mine', 0, 'reused'],
    ['one that was never given', 8, 'mine', 0, 'reused'],
  ])('%s', (_what, generation, thumbprint, ms, verdict) => {
    expect(judgeRefresh(family, { generation, thumbprint, now: later(ms) })).toBe(verdict);
  });

  it('has none before the first rotation', () => {
    const fresh = { generation: 1, rotatedAt: null, rotatedOver: null };
    expect(judgeRefresh(fresh, { generation: 0, thumbprint: 'mine', now: at })).toBe('reused');
  });
});

describe('the ids of a family', () => {
  it('begin alike for its access tokens', () => {
    expect(accessTokenId('family', 'own')).toBe('family_own');
  });

  it('give each client its own UUID for a user', () => {
    const key = Buffer.alloc(32, 1);
    const known = subjectOf(key, { clientId: 'a', userId: 'b' });
    expect(known).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(subjectOf(key, { clientId: 'a', userId: 'b' })).toBe(known);
    const others = [
      subjectOf(key, { clientId: 'x', userId: 'b' }),
      subjectOf(key, { clientId: 'a', userId: 'x' }),
      subjectOf(Buffer.alloc(32, 2), { clientId: 'a', userId: 'b' }),
    ];
    expect(others).not.toContain(known);
  });
});
