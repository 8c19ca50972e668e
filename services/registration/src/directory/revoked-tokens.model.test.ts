import { storedRevokedTokens, toRevokedToken, withRevokedToken } from './revoked-tokens.model.ts';

const SECOND = 1_764_000_000;
const at = (seconds: number): Date => new Date((SECOND + seconds) * 1_000);
const token = (id: string, seconds: number) => ({ id, expiresAt: BigInt(SECOND + seconds) });

describe('the revoked tokens of a client (§4.1)', () => {
  it('are stored as words, until a minute after the end of the last', () => {
    const tokens = [token('a-1', 600), token('b_2', 60)];
    const { words, until } = storedRevokedTokens(tokens);
    expect(words).toBe(`a-1:${SECOND + 600} b_2:${SECOND + 60}`);
    expect(words.split(' ').map(toRevokedToken)).toEqual(tokens);
    expect(until).toEqual(at(660));
  });

  it('hold each token once', () => {
    const options = { added: token('a', 600), most: 1, now: at(0) };
    expect(withRevokedToken([], options)).toEqual([options.added]);
    expect(withRevokedToken([options.added], options)).toBeUndefined();
  });

  it('are as many as they may be, until a minute after the end of the first', () => {
    const tokens = [token('a', 600), token('b', 300)];
    const added = token('c', 3_600);
    const when = (seconds: number) => withRevokedToken(tokens, { added, most: 2, now: at(seconds) });
    expect(() => when(0)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: 360 }));
    expect(() => when(359)).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
    expect(when(360)).toEqual([tokens[0], added]);
    expect(withRevokedToken(tokens, { added, most: 3, now: at(0) })).toEqual([...tokens, added]);
  });
});
