import { judgeRefresh } from './token-family.model.ts';

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
